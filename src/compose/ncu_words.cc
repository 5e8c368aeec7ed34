#include "compose/ncu_words.h"

#include <algorithm>
#include <set>
#include <span>

#include "advise/kernel_filter.h"
#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"

namespace frx::compose {

using model::Finding;
using report::Kernel;
using report::NcuReport;

namespace {

std::string point_text(const derive::Roofline& roofline) {
  const derive::RooflinePoint* main = roofline.main();
  if (!main) return {};
  std::string text = fmt::format("{} operations per byte ({}, {})", format_number(main->intensity), main->precision, main->level);
  if (main->ridge) text += fmt::format(", ridge at {}", format_number(*main->ridge));
  text += fmt::format("; {} achieved", format_quantity(main->achieved_tflops * 1e12, "flop/s"));
  if (main->of_ceiling_pct) text += fmt::format(", {:.0f} % of what is possible there", *main->of_ceiling_pct);
  if (roofline.mfu_pct) text += fmt::format("; MFU {:.1f} %", *roofline.mfu_pct);
  return text;
}

}  // namespace

const Kernel* focus_kernel(const NcuReport& report) {
  const auto leads = [&](const Kernel& kernel) { return kernel.primary == report.primary; };
  const auto at = std::find_if(report.kernels.begin(), report.kernels.end(), leads);
  if (at != report.kernels.end()) return &*at;
  return report.kernels.empty() ? nullptr : &report.kernels.front();
}

std::vector<const Kernel*> by_opportunity(const NcuReport& report) {
  std::vector<const Kernel*> order;
  for (const Kernel& kernel : report.kernels) order.push_back(&kernel);
  const bool has_share = report.duration_us.has_value();
  std::ranges::stable_sort(order, [&](const Kernel* a, const Kernel* b) {
    if (has_share && a->duration_us.has_value() != b->duration_us.has_value()) return a->duration_us.has_value();
    return a->opportunity_score.value_or(-1) > b->opportunity_score.value_or(-1);
  });
  return order;
}

bool ncu_runs_on(const NcuReport& report) {
  const std::string& cc = report.compute_capability;  // "6.1", "10.0"
  return cc.size() < 2 || cc[1] != '.' || cc[0] >= '7';
}

bool has_only_times(const NcuReport& report) {
  constexpr std::string_view decide[] = {"compute_pct", "bandwidth_pct", "dram_pct", "achieved_occupancy_pct",
                                         "issue_slot_utilization_pct"};
  return report.tool == "Nsight Systems" && report.stalls.empty() &&
         std::ranges::none_of(decide, [&](std::string_view id) { return report.value(id); });
}

std::string longest_kernel_command(const NcuReport& report) {
  constexpr std::uint64_t enough = 5;  // launches of one kernel
  if (report.kernels.empty()) return {};
  const std::string_view name = report.kernels.front().name;
  const std::string filter = advise::kernel_filter(std::span(&name, 1));
  std::string line = "ncu --set full";
  if (!filter.empty()) line += " --kernel-name " + shell_quote(filter);
  if (report.kernels.front().launches > enough) line += fmt::format(" --launch-count {}", enough);
  return line + " -o report ./your_app";
}

const Finding* primary_finding(const NcuReport& report) { return find_finding(report.findings, report.primary); }

std::vector<std::string> kernel_names(const NcuReport& report) {
  std::vector<std::string> sorted;
  for (const Kernel& kernel : report.kernels) sorted.push_back(kernel.short_name);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> names;
  for (const Kernel& kernel : report.kernels) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), kernel.short_name);
    names.push_back(last - first > 1 ? kernel.name : kernel.short_name);
  }
  return names;
}

std::string time_text(std::optional<double> microseconds) { return microseconds ? format_quantity(*microseconds * 1e3, "ns") : "n/a"; }

std::string percent_text(std::optional<double> percent) { return percent ? format_quantity(*percent, "%") : "n/a"; }

std::string short_quantity(double value, std::string_view unit) {
  constexpr std::string_view scaled[] = {"%", "ns", "byte", "byte/block", "byte/s", "hz", "flop", "flop/s"};
  const bool has_scale = std::find(std::begin(scaled), std::end(scaled), unit) != std::end(scaled);
  return has_scale ? format_quantity(value, unit) : format_number(value);
}

std::string stake_text(const Finding& finding, const NcuReport& report) {
  const std::optional<double> stake = microseconds(finding.time_at_stake);
  if (!stake) return {};
  const std::string most = "at most " + time_text(stake);
  if (!report.duration_us || *report.duration_us <= 0) return most;
  const double share = *stake / *report.duration_us;
  if (share > 0.995) return fmt::format("all of {}: nothing in the file bounds it further", time_text(report.duration_us));
  return fmt::format("{} of {} ({:.1f} %)", most, time_text(report.duration_us), 100 * share);
}

std::string stalls_text(const std::vector<report::Stall>& stalls, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < stalls.size() && i < limit && stalls[i].pct > 0; ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", stalls[i].reason, format_quantity(stalls[i].pct, "%"));
  }
  return text;
}

std::string roofline_text(const derive::Roofline& roofline) {
  using Basis = derive::Roofline::Basis;
  if (roofline.basis == Basis::none) return "unknown: " + roofline.explanation;
  const std::string region(roofline.region.empty() ? "region unknown" : roofline.region);
  if (roofline.basis == Basis::estimated) {
    const std::string point = point_text(roofline);
    return fmt::format("{}, {}{}{}", region, roofline.explanation, point.empty() ? "" : ": ", point);
  }
  const std::string missing = roofline.main() && roofline.main()->peak_tflops ? std::string() : "; " + roofline.explanation;
  return fmt::format("{}, measured: {}{}", region, point_text(roofline), missing);
}

std::string roofline_command(const NcuReport& report) {
  if (report.roofline.basis == derive::Roofline::Basis::measured || !ncu_runs_on(report)) return {};
  return "ncu --section SpeedOfLight --section SpeedOfLight_RooflineChart --csv --page raw --log-file roofline.csv "
         "./your_app";
}

std::string occupancy_text(const derive::OccupancyAnalysis& occupancy) {
  std::string text;
  if (occupancy.achieved_pct) text = percent_text(occupancy.achieved_pct) + " achieved";
  if (occupancy.theoretical_pct) {
    text += fmt::format("{}{} possible{}", text.empty() ? "" : " of ", percent_text(occupancy.theoretical_pct),
                        occupancy.modelled ? " (by our model)" : "");
  }
  std::vector<std::string> limiters;
  for (const std::string_view limiter : occupancy.limiters) {
    limiters.emplace_back(limiter == "shared_memory" ? "shared memory"
                          : limiter == "warps"       ? "warp slots"
                          : limiter == "blocks"      ? "block slots"
                                                     : limiter);
  }
  if (!limiters.empty()) text += "; limited by " + join(limiters, " and ");
  return text;
}

std::string_view opportunity_text(const Kernel& kernel) {
  const bool judged = kernel.opportunity_score.has_value();
  return judged ? std::string_view(kernel.opportunity) : "n/a";
}

std::string profile_argument(const NcuReport& report) {
  const bool command = report.source.starts_with("ncu ") || report.source.empty();
  return command ? "report.csv" : shell_quote(report.source);
}

std::string verdict_words(const NcuReport& report) {
  if (!report.is_decided() && has_only_times(report)) {
    return "Nsight Systems records which kernels ran and how long; how busy the GPU was meanwhile and what its warps waited for is for "
           "Nsight Compute to measure.";
  }
  if (const Finding* finding = primary_finding(report)) return std::string(finding->type->why);
  if (report.primary == "inconclusive") {
    return "Something was measured, but nothing in it explains the time: no unit is near its limit, or the metrics "
           "that would tell why are not in the file.";
  }
  return report.confidence_reason.empty() ? std::string("Too little was measured to judge.") : report.confidence_reason + ".";
}

std::vector<const report::ProfilerRule*> strongest_rules(const NcuReport& report, std::string_view kernel) {
  std::vector<const report::ProfilerRule*> order;
  for (const report::ProfilerRule& rule : report.profiler_rules) {
    const bool failed = rule.text.find("returned an error") != rule.text.npos;
    if (rule.type != "INF" && !failed && (kernel.empty() || rule.kernel == kernel)) order.push_back(&rule);
  }
  // Estimates of the kernel before those of a part of the hardware, whatever their size, and both before none.
  const auto rank = [](const report::ProfilerRule* rule) {
    return std::pair(!rule->estimated_speedup_pct ? 0 : rule->is_local_estimate ? 1 : 2, rule->estimated_speedup_pct.value_or(0));
  };
  std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) { return rank(a) > rank(b); });
  std::set<std::pair<std::string_view, std::string_view>> seen;
  std::erase_if(order, [&](const report::ProfilerRule* rule) { return !seen.emplace(rule->name, rule->section).second; });
  return order;
}

std::vector<std::string> secondary_labels(const NcuReport& report) {
  std::vector<std::string> labels;
  for (const Finding& finding : report.findings) {
    if (finding.id() != report.primary) labels.emplace_back(finding.id());
  }
  return labels;
}

}  // namespace frx::compose
