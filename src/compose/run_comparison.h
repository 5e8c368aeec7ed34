// A comparison of two training runs: for a terminal, as Markdown for a pull request, and as run_comparison_v1.
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "compose/style.h"
#include "report/run_comparison.h"

namespace frx::compose {

std::string run_comparison_text(const report::RunComparison& comparison, const Style& style);
std::string run_comparison_markdown(const report::RunComparison& comparison);
Json run_comparison_json(const report::RunComparison& comparison);

}  // namespace frx::compose
