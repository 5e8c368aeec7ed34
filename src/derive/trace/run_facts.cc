#include "derive/trace/run_facts.h"

#include <algorithm>

namespace frx::derive::trace {
namespace {

using model::RunFact;
using model::RunFacts;

class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  std::optional<double> value() const { return count_ == 0 ? std::nullopt : std::optional(sum_ / count_); }

 private:
  double sum_ = 0;
  double count_ = 0;
};

double share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0);
}

// Of what the allocators of all GPUs had reserved at one moment, the largest share of a memory.
std::optional<double> peak_memory(const model::Timeline& timeline) {
  std::optional<double> peak;
  for (const model::MemorySample& sample : timeline.memory) {
    for (const model::TracedGpu& gpu : timeline.facts.gpus) {
      if (sample.device < 0 || gpu.id != sample.device || gpu.memory_bytes == 0) continue;
      const double ratio = static_cast<double>(sample.reserved_bytes) / static_cast<double>(gpu.memory_bytes);
      peak = std::max(peak.value_or(0), ratio);
    }
  }
  return peak;
}

void set_shapes(const ProcessTimes& process, StepRange range, RunFacts& facts) {
  const std::vector<StepShapes>& steps = process.shapes.steps;
  if (range.begin >= steps.size()) return;
  const auto volatility = volatility_of(std::span(steps).subspan(range.begin, std::min(range.end, steps.size()) - range.begin));
  if (!volatility) return;
  facts.set(RunFact::shape_volatility, volatility->ratio);
  facts.set(RunFact::shape_changes, static_cast<double>(volatility->changes));
  facts.set(RunFact::shape_pairs, static_cast<double>(volatility->pairs));
}

}  // namespace

RunFacts facts_of(const ProcessTimes& process, const GpuTrack* gpu, StepRange range) {
  RunFacts facts;
  Mean waiting, median, small, kernels;
  constexpr std::pair<RunFact, IdleCause> idle_facts[] = {{RunFact::input_fraction, IdleCause::input},
                                                          {RunFact::sync_fraction, IdleCause::sync},
                                                          {RunFact::allocator_fraction, IdleCause::allocator},
                                                          {RunFact::host_fraction, IdleCause::host},
                                                          {RunFact::device_fraction, IdleCause::device}};
  Mean idle[std::size(idle_facts)], copy, communication, compute, busy;
  range.end = std::min(range.end, process.host.size());
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const HostTime& host = process.host[i];
    if (host.wall <= 0) continue;
    waiting.add(share(host.input, host.wall));
    if (host.median_kernel_ns) {
      kernels.add(host.kernels);
      median.add(*host.median_kernel_ns / 1000);
      small.add(host.small_kernels);
    }
    if (!gpu) continue;
    const GpuTime& time = gpu->steps[i];
    for (std::size_t k = 0; k < std::size(idle_facts); ++k) {
      idle[k].add(share(time.idle_by[static_cast<std::size_t>(idle_facts[k].second)], host.wall));
    }
    copy.add(share(time.host_to_device, host.wall));
    communication.add(share(time.communication, host.wall));
    compute.add(share(time.compute, host.wall));
    busy.add(share(time.busy(), host.wall));
  }
  facts.set(RunFact::steps, waiting.value() ? std::optional(static_cast<double>(range.end - range.begin)) : std::nullopt);
  if (process.has_loader) facts.set(RunFact::input_wait_fraction, waiting.value());
  facts.set(RunFact::kernels_per_step, kernels.value());
  facts.set(RunFact::median_kernel_us, median.value());
  facts.set(RunFact::small_kernel_fraction, small.value());
  set_shapes(process, range, facts);
  if (!gpu) {
    facts.set(RunFact::input_fraction, facts[RunFact::input_wait_fraction]);
    return facts;
  }
  for (std::size_t k = 0; k < std::size(idle_facts); ++k) facts.set(idle_facts[k].first, idle[k].value());
  if (!process.has_loader) facts.set(RunFact::input_fraction, std::nullopt);
  facts.set(RunFact::copy_fraction, copy.value());
  facts.set(RunFact::communication_fraction, communication.value());
  facts.set(RunFact::compute_fraction, compute.value());
  facts.set(RunFact::gpu_busy_fraction, busy.value());
  if (busy.value()) facts.set(RunFact::gpu_utilization_pct, 100 * *busy.value());
  facts.set(RunFact::profiler_windows, 1);
  return facts;
}

RunFacts facts_of(const std::vector<ProcessTimes>& processes, const model::Timeline& timeline, StepRange range) {
  std::vector<RunFacts> each;
  for (const ProcessTimes& process : processes) {
    for (const GpuTrack& gpu : process.gpus) each.push_back(facts_of(process, &gpu, range));
    if (process.gpus.empty()) each.push_back(facts_of(process, nullptr, range));
  }
  // A process without a GPU says nothing about those that have one.
  const auto has_gpu = [](const RunFacts& facts) { return facts[RunFact::gpu_busy_fraction].has_value(); };
  if (std::ranges::any_of(each, has_gpu)) std::erase_if(each, [&](const RunFacts& facts) { return !has_gpu(facts); });
  RunFacts all;
  for (std::size_t i = 0; i < model::run_fact_count; ++i) {
    Mean mean;
    for (const RunFacts& facts : each) {
      if (const auto& value = facts[static_cast<RunFact>(i)]) mean.add(*value);
    }
    all.set(static_cast<RunFact>(i), mean.value());
  }
  if (!each.empty() && has_gpu(each.front())) all.set(RunFact::profiler_windows, 1);
  all.set(RunFact::memory_peak_ratio, peak_memory(timeline));
  return all;
}

}  // namespace frx::derive::trace
