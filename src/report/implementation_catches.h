// What stands behind the verdict of a comparison: trade-offs, what is not known, and which flag would tell.
#pragma once

#include <string>
#include <vector>

#include "report/implementation_comparison.h"

namespace frx::report {

// Gravest first. The verdict and the scores must be there.
std::vector<Tradeoff> tradeoffs_of(const ImplementationComparison& comparison);

std::vector<std::string> still_unknown_in(const ImplementationComparison& comparison);

// What to add to the command line to know more.
std::vector<UpgradeHint> hints_for(const ImplementationComparison& comparison);

}  // namespace frx::report
