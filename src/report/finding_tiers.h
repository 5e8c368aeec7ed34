// Which findings in source are shown unasked (docs/adr/0022-two-tiers-of-findings-in-source.md).
#pragma once

#include <cstddef>
#include <span>

#include "report/cuda_report.h"

namespace frx::report {

// Moves findings whose tier is not shown from report.findings to report.withheld; both keep their order.
void withhold(CudaReport& report, bool pedantic);

// Of a rule that is_once_per_analysis, the first pedantic finding in the order of `reports` becomes one of the default tier, unless the
// rule has one anyway. It is withheld no more, and its message says how many of the rule still are. Linear in the findings.
void show_once_per_analysis(std::span<CudaReport* const> reports);

// What an answer shows of one analysis, after everything that is asked of each kernel: join_repeats() and show_once_per_analysis().
void settle_findings(std::span<CudaReport* const> reports);

// Those that --pedantic would show.
std::size_t pedantic_count(const CudaReport& report);

}  // namespace frx::report
