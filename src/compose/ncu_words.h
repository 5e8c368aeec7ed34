// Phrases about a profile that the report, the brief and the explain files share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace frx::compose {

// The longest kernel that the run's primary bottleneck leads, else the longest; nullptr without kernels.
const report::Kernel* focus_kernel(const report::NcuReport& report);

// All kernels, where a change promises most first (docs/contract.md, section 4.5): by opportunity, those with a share of time before
// those without, whose scores do not compare.
std::vector<const report::Kernel*> by_opportunity(const report::NcuReport& report);

// Nsight Compute starts with Volta; before it there is only nvprof.
bool ncu_runs_on(const report::NcuReport& report);

// Nsight Systems recorded launches and their times; no counter of the GPU is known.
bool has_only_times(const report::NcuReport& report);

// The command by which Nsight Compute measures the kernel that takes most time.
std::string longest_kernel_command(const report::NcuReport& report);

// The finding behind the verdict; nullptr for inconclusive and the like.
const model::Finding* primary_finding(const report::NcuReport& report);

// Names to tell kernels apart in little space: the short name, or the full one when the short one
// stands for several.
std::vector<std::string> kernel_names(const report::NcuReport& report);

std::string time_text(std::optional<double> microseconds);  // "1.23 ms" or "n/a"
std::string percent_text(std::optional<double> percent);    // "12.3 %" or "n/a"
// "92.0 %", "1.2 GB/s"; the bare number where the words beside it say what is counted.
std::string short_quantity(double value, std::string_view unit);

// "at most 1.2 ms of 4.2 ms (28.6 %)", "" when nothing bounds it.
std::string stake_text(const model::Finding& finding, const report::NcuReport& report);

// "long_scoreboard 55.2 %, wait 12.1 %, ...": the largest ones.
std::string stalls_text(const std::vector<report::Stall>& stalls, std::size_t limit);

std::string roofline_text(const derive::Roofline& roofline);
// A command that measures it, "" when it is measured or cannot be.
std::string roofline_command(const report::NcuReport& report);

// "23.4 % achieved of 25.0 % possible; limited by registers", "" when nothing is known.
std::string occupancy_text(const derive::OccupancyAnalysis& occupancy);

// high, medium, low, none; n/a when nothing was measured that it could be judged by.
std::string_view opportunity_text(const report::Kernel& kernel);

// The profile as an argument of a command, when it is a file.
std::string profile_argument(const report::NcuReport& report);

// Plain words for the verdict, also where no finding stands behind it.
std::string verdict_words(const report::NcuReport& report);

// The profiler's own rules, one per name, the largest estimate first; of one kernel unless `kernel` is "".
std::vector<const report::ProfilerRule*> strongest_rules(const report::NcuReport& report, std::string_view kernel);

// Labels besides the primary one, ranked.
std::vector<std::string> secondary_labels(const report::NcuReport& report);

}  // namespace frx::compose
