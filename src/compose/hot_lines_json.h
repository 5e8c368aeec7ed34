// kernels[].hot_lines of `ncu_analysis_v1`.
#pragma once

#include "compose/json_fwd.h"
#include "report/hot_lines.h"

namespace frx::compose {

Json hot_lines_json(const report::HotCode& code);
// What the first lines are first by: "samples", "executed_instructions" when there are too few samples, or null.
Json hot_lines_rank(const report::HotCode& code);

}  // namespace frx::compose
