// A comparison of two profiles, as `ncu_comparison_v1`, for a terminal, and as Markdown for a pull request.
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "compose/style.h"
#include "report/ncu_comparison.h"

namespace frx::compose {

Json ncu_comparison_json(const report::NcuComparison& comparison);
std::string ncu_comparison_text(const report::NcuComparison& comparison, const Style& style);
std::string ncu_comparison_markdown(const report::NcuComparison& comparison);

}  // namespace frx::compose
