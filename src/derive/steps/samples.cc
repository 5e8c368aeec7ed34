#include "derive/steps/samples.h"

#include <algorithm>
#include <map>
#include <vector>

#include "derive/steps/mean.h"
#include "derive/steps/selection.h"

namespace frx::derive::steps {
namespace {

using model::GpuSample;
using model::RunFact;

bool is_within(const GpuSample& sample, TimeFrame frame) {
  return !sample.time_ns || (*sample.time_ns >= frame.begin && *sample.time_ns <= frame.end);
}

// The highest utilisation of each GPU, by its number.
std::map<std::int32_t, double> most_used(std::span<const GpuSample> samples) {
  std::map<std::int32_t, double> most;
  for (const GpuSample& sample : samples) {
    double& of_gpu = most[sample.index];
    of_gpu = std::max(of_gpu, sample.utilization_pct.value_or(0));
  }
  return most;
}

std::vector<GpuSample> samples_of_the_run(std::span<const GpuSample> samples) {
  const std::map<std::int32_t, double> most = most_used(samples);
  const bool none_used = std::ranges::all_of(most, [](const auto& gpu) { return gpu.second == 0; });
  std::vector<GpuSample> own;
  std::ranges::copy_if(samples, std::back_inserter(own), [&](const GpuSample& sample) { return none_used || most.at(sample.index) > 0; });
  return own;
}

}  // namespace

TimeFrame time_frame(std::span<const model::StepTable> tables, std::size_t skipped) {
  if (tables.empty()) return {};
  const model::StepTable& table = tables.front();
  const std::vector<std::size_t> rows = completed_rows(table, skipped);
  if (rows.empty()) return {};
  const std::optional<std::int64_t> begin = table.begin_ns[rows.front()], end = table.end_ns[rows.back()];
  if (!begin || !end) return {};
  return {*begin - table.time(model::HostTime::loader_before, rows.front()).value_or(0), *end};
}

void add_samples(std::span<const GpuSample> samples, TimeFrame frame, model::RunFacts& facts) {
  Mean utilization, memory;
  std::optional<double> lowest, highest, peak;
  for (const GpuSample& sample : samples_of_the_run(samples)) {
    if (sample.utilization_pct && is_within(sample, frame)) {
      utilization.add(*sample.utilization_pct);
      lowest = std::min(lowest.value_or(*sample.utilization_pct), *sample.utilization_pct);
      highest = std::max(highest.value_or(*sample.utilization_pct), *sample.utilization_pct);
    }
    if (is_within(sample, frame)) memory.add(sample.memory_utilization_pct);
    if (sample.memory_used && sample.memory_total && *sample.memory_total > 0) {
      peak = std::max(peak.value_or(0), *sample.memory_used / *sample.memory_total);
    }
  }
  if (!facts[RunFact::gpu_utilization_pct]) facts.set(RunFact::gpu_utilization_pct, utilization.value());
  facts.set(RunFact::memory_utilization_pct, memory.value());
  if (lowest) facts.set(RunFact::utilization_instability_pct, *highest - *lowest);
  facts.set(RunFact::memory_peak_ratio, peak);
}

}  // namespace frx::derive::steps
