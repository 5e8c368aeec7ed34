// What changed between two reports about layouts, as an answer (layout_diff.v1).
#pragma once

#include <memory>

#include "answer/answer.h"
#include "report/layout/layout_diff.h"

namespace frx::compose {

// `shown`: findings to print; the JSON has all.
answer::Answer answer_of(std::shared_ptr<const report::LayoutDiff> diff, std::size_t shown);

}  // namespace frx::compose
