// A comparison of two implementations: for a terminal, as Markdown for a pull request, and as comparison_v1.
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "compose/style.h"
#include "report/implementation_comparison.h"

namespace frx::compose {

std::string implementation_comparison_text(const report::ImplementationComparison& comparison, const Style& style);
std::string implementation_comparison_markdown(const report::ImplementationComparison& comparison);
Json implementation_comparison_json(const report::ImplementationComparison& comparison);
// [{layer, target, step, reason}]
Json evidence_failures_json(const report::ImplementationComparison& comparison);

}  // namespace frx::compose
