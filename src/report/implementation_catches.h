// The caveats of the result of a comparison: trade-offs, unknowns, and the flag that would resolve them.
#pragma once

#include <string>
#include <vector>

#include "report/implementation_comparison.h"

namespace frx::report {

// Findings after which the result of this side may be wrong, and that the other side has not. Of Side::neither: none.
std::vector<const FindingChange*> doubts_about(const ImplementationComparison& comparison, Side side);

// Gravest first. The result and the scores must have been computed.
std::vector<Tradeoff> tradeoffs_of(const ImplementationComparison& comparison);

std::vector<std::string> still_unknown_in(const ImplementationComparison& comparison);

// The options to add to the command line for more evidence.
std::vector<UpgradeHint> hints_for(const ImplementationComparison& comparison);

}  // namespace frx::report
