#include "derive/trace/host_steps.h"

#include <algorithm>

#include "derive/compare/two_samples.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::HostTime;
using model::StepTable;
using model::Timeline;

constexpr std::int64_t small_kernel_ns = 10'000;

// take(step, duration) for each kernel of a step. The step of a kernel is the one that launched it: it may run later. One whose launch is
// not in the file, or before the first step, counts where it ran.
template <typename Take>
void for_each_kernel(const Timeline& timeline, const Attribution& attribution, const Steps& steps, std::span<const Interval> spans,
                     Take take) {
  const std::vector<Interval> times = times_of(steps);
  for (const GpuWork& one : attribution.work) {
    if (timeline.kind[one.event] != EventKind::kernel) continue;
    if (one.launch != none && !steps.pid.empty() && timeline.tracks[timeline.track[one.launch]].pid != steps.pid) continue;
    const bool is_launched_in_steps = one.launch != none && !spans.empty() && timeline.start[one.launch] >= spans.front().begin;
    const std::int64_t at = timeline.start[is_launched_in_steps ? one.launch : one.event];
    const std::span<const Interval> steps_then = is_launched_in_steps ? spans : times;
    const auto next = std::ranges::upper_bound(steps_then, at, {}, &Interval::begin);
    if (next == steps_then.begin() || at >= std::prev(next)->end) continue;
    take(static_cast<std::size_t>(std::prev(next) - steps_then.begin()), timeline.duration[one.event]);
  }
}

void set_kernels(StepTable& table, std::size_t step, std::vector<std::int64_t>& durations) {
  table.kernels.set(step, static_cast<double>(durations.size()));
  if (durations.empty()) return;
  table.median_kernel_ns.set(step, static_cast<double>(compare::upper_median(durations)));
  const auto small = std::ranges::count_if(durations, [](std::int64_t ns) { return ns < small_kernel_ns; });
  table.small_kernels.set(step, static_cast<double>(small) / static_cast<double>(durations.size()));
}

void add_kernels(const Timeline& timeline, const Attribution& attribution, const Steps& steps, std::span<const Interval> spans,
                 StepTable& table) {
  std::vector<std::size_t> counts(spans.size());
  for_each_kernel(timeline, attribution, steps, spans, [&](std::size_t step, std::int64_t) { ++counts[step]; });
  std::vector<std::vector<std::int64_t>> durations(spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) durations[i].reserve(counts[i]);
  for_each_kernel(timeline, attribution, steps, spans, [&](std::size_t step, std::int64_t ns) { durations[step].push_back(ns); });
  for (std::size_t i = 0; i < spans.size(); ++i) set_kernels(table, i, durations[i]);
}

}  // namespace

void add_host_columns(const Timeline& timeline, const Attribution& attribution, const Steps& steps, const HostRanges& host,
                      StepTable& table) {
  const std::vector<Interval> spans = spans_of(steps);
  const auto column = [&](HostTime part) -> std::vector<std::int64_t>& { return table.host_ns[static_cast<std::size_t>(part)]; };
  for (const Step& step : steps.steps) {
    table.ids.push_back(step.number);
    column(HostTime::wall).push_back(step.time.value_or(step.span).length());
    if (steps.runs_ahead) table.program_ns.push_back(step.span.length());
  }
  const auto add = [&](HostTime part, bool recorded, const Intervals& ranges) {
    if (recorded) column(part) = total_in_each(spans, ranges);
  };
  add(HostTime::loader, !host.input.empty(), host.input);
  add(HostTime::sync, host.has_calls, host.sync);
  add(HostTime::forward, !host.forward.empty(), host.forward);
  add(HostTime::backward, !host.backward.empty(), host.backward);
  add(HostTime::optimizer, !host.optimizer.empty(), host.optimizer);
  add_kernels(timeline, attribution, steps, spans, table);
}

}  // namespace frx::derive::trace
