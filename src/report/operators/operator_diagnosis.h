// What limits the kernels of an operator, by their counters, and what to change first.
#pragma once

#include <cstddef>

#include "report/analyse.h"
#include "report/operators/operator_profile.h"

namespace frx::report {

// Of the operators that are diagnosed: each takes at least a percent of the kernel time, and they are the first so many.
inline constexpr double least_diagnosed_pct = 1;
inline constexpr std::size_t most_diagnosed = 20;

// Diagnoses the operators whose launches are known (OperatorSum::launches), as a profile of these launches alone is. Fails where the
// options of the analyst do, such as a file of --arch-profile.
Result<> diagnose_operators(OperatorReport& report, Analyst& analyst);

}  // namespace frx::report
