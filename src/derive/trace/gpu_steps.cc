#include "derive/trace/gpu_steps.h"

#include <algorithm>

#include "derive/trace/idle.h"

namespace frx::derive::trace {
namespace {

using model::GpuTime;
using model::Timeline;

// The causes of gaps take four times the memory of the gaps.
constexpr std::size_t gaps_at_a_time = 1 << 14;

// Adds how much of each of the spans the causes cover. `within`: an interval around the causes; only spans that touch it are visited.
class CausesBySpan {
 public:
  explicit CausesBySpan(std::span<const Interval> spans) : spans_(spans) {
    for (const Interval& span : spans) latest_end_.push_back(std::max(span.end, latest_end_.empty() ? INT64_MIN : latest_end_.back()));
  }
  void add(const std::array<Intervals, model::idle_cause_count>& causes, Interval within, std::vector<GpuTime>& times) const {
    const auto first = static_cast<std::size_t>(std::ranges::upper_bound(latest_end_, within.begin) - latest_end_.begin());
    const auto end = static_cast<std::size_t>(std::ranges::lower_bound(spans_, within.end, {}, &Interval::begin) - spans_.begin());
    if (first >= end) return;
    for (std::size_t cause = 0; cause < model::idle_cause_count; ++cause) {
      const std::vector<std::int64_t> sums = total_in_each(spans_.subspan(first, end - first), causes[cause]);
      for (std::size_t i = 0; i < sums.size(); ++i) times[first + i].idle_by[cause] += sums[i];
    }
  }

 private:
  std::span<const Interval> spans_;       // by begin
  std::vector<std::int64_t> latest_end_;  // of a span and those before it
};

void fill(std::vector<GpuTime>& times, std::int64_t GpuTime::*part, std::span<const Interval> spans, const Intervals& intervals) {
  const std::vector<std::int64_t> sums = total_in_each(spans, intervals);
  for (std::size_t i = 0; i < sums.size(); ++i) times[i].*part = sums[i];
}

// Fills in all but the causes of idle time, and returns the idle intervals.
Intervals fill_work(Activity& activity, std::span<const Interval> spans, std::vector<GpuTime>& times) {
  const Intervals stepping = united({spans.begin(), spans.end()});
  const Intervals compute = united(std::move(activity.compute));
  const Intervals communication = united(std::move(activity.communication));
  const Intervals copy = united(std::move(activity.copy));
  const Intervals host_to_device = united(std::move(activity.host_to_device));
  const Intervals copies_only = without(without(copy, compute), communication);
  fill(times, &GpuTime::span, spans, stepping);
  fill(times, &GpuTime::compute, spans, compute);
  fill(times, &GpuTime::communication, spans, without(communication, compute));
  fill(times, &GpuTime::copy, spans, copies_only);
  fill(times, &GpuTime::host_to_device, spans, common(copies_only, host_to_device));
  fill(times, &GpuTime::all_communication, spans, communication);
  fill(times, &GpuTime::all_host_to_device, spans, host_to_device);
  return without(without(without(stepping, compute), communication), copy);
}

}  // namespace

model::GpuSteps gpu_steps(const Timeline& timeline, const Attribution& attribution, std::int32_t device, Activity activity,
                          const Steps& steps, const HostRanges& host) {
  const std::vector<Interval> spans = spans_of(steps);
  model::GpuSteps gpu{device, std::vector<GpuTime>(spans.size())};
  const Intervals idle = fill_work(activity, spans, gpu.steps);
  fill(gpu.steps, &GpuTime::idle, spans, idle);
  IdleAttribution idle_attribution(timeline, attribution.work, activity.work, host);
  const CausesBySpan by_step(spans);
  for (std::span<const Interval> rest = idle; !rest.empty();) {
    const std::span<const Interval> some = rest.first(std::min(rest.size(), gaps_at_a_time));
    by_step.add(idle_attribution.causes_of(some), {some.front().begin, some.back().end}, gpu.steps);
    rest = rest.subspan(some.size());
  }
  return gpu;
}

}  // namespace frx::derive::trace
