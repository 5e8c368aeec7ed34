#include "derive/run/record_facts.h"

#include <algorithm>
#include <map>
#include <vector>

namespace frx::derive {
namespace {

using model::GpuSample;
using model::RunFact;
using model::RunFacts;
using model::RunRecord;
using model::RunStep;

struct Mean {
  double sum = 0, count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  std::optional<double> value() const { return count > 0 ? std::optional(sum / count) : std::nullopt; }
};

double share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0);
}

// The GPUs that took part: a GPU that was always idle beside a busy one belongs to another program.
std::vector<GpuSample> samples_of_the_run(const RunRecord& record) {
  std::map<std::int32_t, double> most;
  double overall = 0;
  for (const GpuSample& sample : record.samples) {
    double& of_gpu = most[sample.index];
    of_gpu = std::max(of_gpu, sample.utilization_pct.value_or(0));
    overall = std::max(overall, of_gpu);
  }
  std::vector<GpuSample> samples;
  std::ranges::copy_if(record.samples, std::back_inserter(samples),
                       [&](const GpuSample& sample) { return overall == 0 || most[sample.index] > 0; });
  return samples;
}

// From the begin of the first step to the end of the last.
struct TimeFrame {
  std::int64_t begin = INT64_MIN, end = INT64_MAX;
  bool has(const GpuSample& sample) const { return !sample.time_ns || (*sample.time_ns >= begin && *sample.time_ns <= end); }
};

TimeFrame frame_of(std::span<const RunStep> steps) {
  if (steps.empty() || !steps.front().begin_ns || !steps.back().end_ns) return {};
  return {*steps.front().begin_ns - steps.front().loader_before_ns, *steps.back().end_ns};
}

// How busy the GPU was is asked of the steps alone, not of starting up before them; memory that was full once is.
void add_samples(const RunRecord& record, std::span<const RunStep> steps, RunFacts& facts) {
  Mean utilization, memory;
  std::optional<double> lowest, highest, peak;
  const TimeFrame frame = frame_of(steps);
  for (const GpuSample& sample : samples_of_the_run(record)) {
    if (sample.utilization_pct && frame.has(sample)) {
      utilization.add(*sample.utilization_pct);
      lowest = std::min(lowest.value_or(*sample.utilization_pct), *sample.utilization_pct);
      highest = std::max(highest.value_or(*sample.utilization_pct), *sample.utilization_pct);
    }
    if (sample.memory_utilization_pct && frame.has(sample)) memory.add(*sample.memory_utilization_pct);
    if (sample.memory_used && sample.memory_total && *sample.memory_total > 0) {
      peak = std::max(peak.value_or(0), *sample.memory_used / *sample.memory_total);
    }
  }
  facts.set(RunFact::gpu_utilization_pct, utilization.value());
  facts.set(RunFact::memory_utilization_pct, memory.value());
  if (lowest) facts.set(RunFact::utilization_instability_pct, *highest - *lowest);
  facts.set(RunFact::memory_peak_ratio, peak);
}

// Changes between steps that follow each other, of all such pairs.
void add_shapes(std::span<const RunStep> steps, RunFacts& facts) {
  double pairs = -1, changes = 0;
  for (const RunStep& step : steps) {
    if (!step.shape) continue;
    if (++pairs > 0) changes += step.shape_changed;
  }
  if (pairs < 0) return;
  facts.set(RunFact::shape_volatility, pairs > 0 ? changes / pairs : 0);
  facts.set(RunFact::shape_changes, changes);
  facts.set(RunFact::shape_pairs, pairs);
}

}  // namespace

RunFacts facts_of(const RunRecord& record, std::span<const RunStep> steps) {
  RunFacts facts;
  Mean input, copy, sync, kernels, median, small;
  double windows = 0;
  for (const RunStep& step : steps) {
    windows += step.windows;
    if (!step.completed()) continue;
    input.add(share(step.loader_ns + step.loader_before_ns, step.total_ns()));
    copy.add(share(step.host_to_device_ns, step.total_ns()));
    sync.add(share(step.sync_ns, step.total_ns()));
    if (step.kernels && *step.kernels > 0) kernels.add(*step.kernels);
    if (step.median_kernel_us) median.add(*step.median_kernel_us);
    if (step.small_kernel_fraction && *step.small_kernel_fraction > 0) small.add(*step.small_kernel_fraction);
  }
  if (input.count > 0) facts.set(RunFact::steps, input.count);
  if (record.has_loader) {
    facts.set(RunFact::input_wait_fraction, input.value());
    facts.set(RunFact::input_fraction, input.value());
  }
  if (record.has_copies) facts.set(RunFact::copy_fraction, copy.value());
  if (record.has_waits) facts.set(RunFact::sync_fraction, sync.value());
  add_shapes(steps, facts);
  if (windows > 0) facts.set(RunFact::profiler_windows, windows);
  facts.set(RunFact::kernels_per_step, kernels.value());
  facts.set(RunFact::median_kernel_us, median.value());
  facts.set(RunFact::small_kernel_fraction, small.value());
  if (input.count > 0) add_samples(record, steps, facts);
  return facts;
}

std::string dominant_stall(const RunRecord& record, std::span<const RunStep> steps) {
  double input = 0, copy = 0, sync = 0, phases = 0;
  for (const RunStep& step : steps) {
    input += static_cast<double>(step.loader_ns) + static_cast<double>(step.loader_before_ns);
    copy += static_cast<double>(step.host_to_device_ns);
    sync += static_cast<double>(step.sync_ns);
    phases += static_cast<double>(step.forward_ns) + static_cast<double>(step.backward_ns) + static_cast<double>(step.optimizer_ns);
  }
  const double most = std::max({input, copy, sync});
  if (most == 0 || (!record.has_loader && !record.has_copies && !record.has_waits)) return phases > 0 ? "compute_bound" : "unknown";
  return most == input ? "input_bound" : most == copy ? "copy_bound" : "sync_bound";
}

}  // namespace frx::derive
