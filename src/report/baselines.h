// Further recordings of the first side's configuration: differences of the size that they show among themselves do not count.
//
// A recording of something else (another GPU, other ranks or batches, fewer than three steps, the first one again) is refused: a floor from
// it would not describe the configuration.
#pragma once

#include <span>

#include "derive/compare/noise_floor.h"
#include "report/report.h"
#include "report/run_comparison.h"

namespace frx::report {

// Compared by the median step of each. Usage: which of them is not comparable, and why.
Result<derive::compare::BaselineSpread> spread_of_runs(const ComparedRun& first, std::span<const ComparedRun> others);

// Compared by kernel time: of one launch where each has one kernel, otherwise of all of them.
Result<derive::compare::BaselineSpread> spread_of_profiles(const NcuReport& first, std::span<const NcuReport> others);

// "4 runs of one configuration differ by up to 1.2 %; two of them stay within 7.4 % of each other (99 % sure)", which is `share`.
std::string words_for(const derive::compare::BaselineSpread& spread, double share);

}  // namespace frx::report
