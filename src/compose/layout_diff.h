// What changed between two reports about layouts, as an answer (layout_diff.v1).
#pragma once

#include <memory>

#include "answer/answer.h"
#include "compose/parts.h"
#include "report/layout/layout_diff.h"

namespace frx::compose {

// `shown`: findings to print; the JSON has all.
answer::Answer answer_of(std::shared_ptr<const report::LayoutDiff> diff, std::size_t shown);

// Parts of it, for answers about more than layouts: what became of the findings, those that did not change in number only; what
// layout_diff.v1 has.
void add_layout_changes(Document& page, const report::LayoutDiff& diff, std::size_t shown);
void put_layout_diff(answer::JsonObject& out, const report::LayoutDiff& diff);

}  // namespace frx::compose
