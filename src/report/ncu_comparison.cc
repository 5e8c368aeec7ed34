#include "report/ncu_comparison.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/units.h"
#include "report/baselines.h"

namespace frx::report {
namespace {

using Better = MetricTables::Better;
using Row = MetricTables::Compared;

constexpr double noise = 0.001;
constexpr double score_step = 0.02;  // a smaller change of a score does not count
constexpr double time_step = 1.05;   // a smaller change of time does not count
constexpr double clock_step = 1.05;  // clocks locked by ncu differ by less

MetricDelta delta_of(const Row& row, const NcuReport& baseline, const NcuReport& optimized) {
  MetricDelta delta{std::string(row.key), std::string(row.label), std::string(row.unit), {}, {}, {}, {}};
  if (const Value* value = baseline.value(row.id)) delta.baseline = value->value();
  if (const Value* value = optimized.value(row.id)) delta.optimized = value->value();
  if (!delta.baseline || !delta.optimized) return delta;
  delta.delta = *delta.optimized - *delta.baseline;
  const double size = std::abs(*delta.delta);
  if (row.better == Better::neither || size < noise) {
    delta.direction = "neutral";
  } else {
    delta.direction = (*delta.delta > 0) == (row.better == Better::higher) ? "improved" : "regressed";
  }
  return delta;
}

std::map<std::string, double> scores(const NcuReport& report) {
  std::map<std::string, double> all;
  for (const model::Finding& finding : report.findings) {
    if (finding.type->kind != model::FindingKind::state) all[std::string(finding.id())] = finding.score;
  }
  return all;
}

void compare_labels(NcuComparison& result) {
  const auto before = scores(*result.baseline), after = scores(*result.optimized);
  for (const auto& [label, score] : before) {
    const auto now = after.find(label);
    if (now == after.end()) {
      result.resolved.push_back(label);
      continue;
    }
    result.persistent.push_back(label);
    result.score_deltas[label] = now->second - score;
    if (score - now->second > score_step) result.improved.push_back(label);
  }
  for (const auto& [label, score] : after) {
    if (!before.contains(label)) result.appeared.push_back(label);
  }
  result.bottleneck_outcome = !result.resolved.empty() && !result.appeared.empty() ? "mixed"
                              : !result.resolved.empty()                           ? "improved"
                              : !result.appeared.empty()                           ? "regressed"
                              : !result.improved.empty()                           ? "improved"
                                                                                   : "neutral";
}

std::set<std::string> kernel_names(const NcuReport& report) {
  std::set<std::string> names;
  for (const Kernel& kernel : report.kernels) names.insert(kernel.short_name);
  return names;
}

// One kernel on each side, launched a different number of times.
bool compares_launches(const NcuComparison& result) {
  return result.judgement.is_comparable && result.judgement.first->is_per_launch && result.baseline->launches != result.optimized->launches;
}

void judge_time(NcuComparison& result, std::optional<derive::compare::BaselineSpread> baselines) {
  result.judgement = judge_profiles(*result.baseline, *result.optimized, baselines);
  result.baseline_us = result.baseline->duration_us;
  result.optimized_us = result.optimized->duration_us;
  const bool per_launch = compares_launches(result);
  if (per_launch) {
    result.baseline_us = result.judgement.first->us;
    result.optimized_us = result.judgement.second->us;
  }
  if (result.baseline_us && result.optimized_us && *result.optimized_us > 0) {
    result.speedup = *result.baseline_us / *result.optimized_us;
  }
  const bool same_work = per_launch || result.baseline->launches == result.optimized->launches;
  if (result.speedup && same_work) {
    result.basis = "kernel_gpu_time";
    const double step = std::max(time_step, 1 + result.judgement.noise_floor);
    result.outcome = *result.speedup >= step ? "improved" : *result.speedup <= 1 / step ? "regressed" : "neutral";
    return;
  }
  result.basis = "bottleneck_diff";
  result.outcome = result.bottleneck_outcome;
}

// ncu locks the clocks at their base unless it is told not to; a kernel that draws much power lowers them itself, so a difference is
// reported and excuses nothing.
void add_clocks(NcuComparison& result) {
  for (const std::string_view id : {"sm_frequency", "dram_frequency"}) {
    const Value *a = result.baseline->value(id), *b = result.optimized->value(id);
    if (!a || !b || a->value() <= 0 || b->value() <= 0) continue;
    const double ratio = b->value() / a->value();
    if (ratio < clock_step && ratio > 1 / clock_step) continue;
    result.caveats.push_back(fmt::format(
        "{} {} before, {} after: part of a difference in time may be the clock's (ncu --clock-control base)",
        id == "sm_frequency" ? "SM clock" : "DRAM clock", format_quantity(a->value(), "hz"), format_quantity(b->value(), "hz")));
  }
}

void add_caveats(NcuComparison& result) {
  const NcuReport& a = *result.baseline;
  const NcuReport& b = *result.optimized;
  if (compares_launches(result)) {
    result.caveats.push_back(
        fmt::format("{} before, {} after: the time of one launch is compared", count_text(a.launches, "launch"), b.launches));
  } else if (a.launches != b.launches) {
    result.caveats.push_back(
        fmt::format("{} before, {} after: summed kernel time is not compared", count_text(a.launches, "launch"), b.launches));
  }
  if (const std::optional<DifferentGpus> gpus = different_gpus(a, b))
    result.caveats.push_back(fmt::format("different GPUs: {} and {}", gpus->first, gpus->second));
  add_clocks(result);
  const std::set<std::string> before = kernel_names(a), after = kernel_names(b);
  std::vector<std::string> both;
  std::set_intersection(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(both));
  const bool one_each = a.kernels.size() == 1 && b.kernels.size() == 1;
  if (both.empty() && !one_each) result.caveats.push_back("no kernel name occurs on both sides");
  if (result.judgement.baselines) {
    result.caveats.push_back(fmt::format("{}; differences up to {:.3g} % count as nothing",
                                         words_for(*result.judgement.baselines, result.judgement.baselines->share_more()),
                                         100 * result.judgement.noise_floor));
  }
  if (!result.speedup) result.caveats.push_back("one side has no kernel durations");
}

}  // namespace

NcuComparison compare(const NcuReport& baseline, const NcuReport& optimized, std::string label_baseline, std::string label_optimized,
                      std::optional<derive::compare::BaselineSpread> baselines) {
  NcuComparison result;
  result.label_baseline = std::move(label_baseline);
  result.label_optimized = std::move(label_optimized);
  result.baseline = &baseline;
  result.optimized = &optimized;
  compare_labels(result);
  for (const Row& row : baseline.tables->compared) {
    MetricDelta delta = delta_of(row, baseline, optimized);
    if (delta.baseline || delta.optimized) result.metrics.push_back(std::move(delta));
  }
  judge_time(result, baselines);
  result.predictions = score_predictions(baseline, optimized, result.judgement.noise_floor);
  add_caveats(result);
  return result;
}

}  // namespace frx::report
