#include "derive/trace/gpu_steps.h"

#include <algorithm>

#include "derive/trace/gaps.h"
#include "derive/trace/idle.h"

namespace frx::derive::trace {
namespace {

using model::GpuTime;
using model::Timeline;

// The causes of gaps take four times the memory of the gaps.
constexpr std::size_t gaps_at_a_time = 1 << 14;
// So many are shown.
constexpr std::size_t gaps_named = 5;

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

// Adds how much of the gaps each cause explains. Gaps and causes are ascending.
void add_causes(const std::array<Intervals, model::idle_cause_count>& causes, std::vector<model::IdleGap>& gaps) {
  std::vector<Interval> spans;
  for (const model::IdleGap& gap : gaps) spans.push_back({gap.begin, gap.end});
  for (std::size_t cause = 0; cause < model::idle_cause_count; ++cause) {
    const std::vector<std::int64_t> sums = total_in_each(spans, causes[cause]);
    for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i].idle_by[cause] += sums[i];
  }
}

// Times are ascending by begin.
void place_gaps(std::span<const Interval> times, std::vector<model::IdleGap>& gaps) {
  for (model::IdleGap& gap : gaps) {
    const auto next = std::ranges::upper_bound(times, gap.begin, {}, &Interval::begin);
    gap.step = next == times.begin() ? 0 : static_cast<std::size_t>(next - times.begin()) - 1;
    gap.after = gap.begin - times.front().begin;
  }
}

// Marks the gaps that happen once, and sets the times of the steps without them.
void leave_out_one_offs(std::span<const Interval> spans, model::GpuSteps& gpu) {
  std::vector<model::IdleGap> by_length = gpu.gaps;
  std::ranges::stable_sort(by_length, std::ranges::greater{}, &model::IdleGap::length);
  std::int64_t all = 0;
  for (const GpuTime& step : gpu.steps) all += step.span;
  const std::size_t count = one_off_count(by_length, gpu.steps.size(), all);
  if (count == 0) return;
  const std::int64_t least = by_length[count - 1].length();
  gpu.usual = gpu.steps;
  for (model::IdleGap& gap : gpu.gaps) {
    if (gap.length() < least) continue;
    gap.is_one_off = true;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const std::int64_t here = std::min(spans[i].end, gap.end) - std::max(spans[i].begin, gap.begin);
      if (here <= 0) continue;
      gpu.usual[i].span -= here;
      gpu.usual[i].idle -= here;
      const double part = static_cast<double>(here) / static_cast<double>(gap.length());
      for (std::size_t cause = 0; cause < model::idle_cause_count; ++cause)
        gpu.usual[i].idle_by[cause] -= static_cast<std::int64_t>(part * static_cast<double>(gap.idle_by[cause]));
    }
  }
}

}  // namespace

model::GpuSteps gpu_steps(const Timeline& timeline, const Attribution& attribution, std::int32_t device, Activity activity,
                          const Steps& steps, const HostRanges& host, bool with_figures) {
  const std::vector<Interval> spans = times_of(steps);
  model::GpuSteps gpu{device, std::vector<GpuTime>(spans.size()), {}, {}};
  const Intervals idle = fill_work(activity, spans, gpu.steps);
  fill(gpu.steps, &GpuTime::idle, spans, idle);
  gpu.gaps = longest_gaps(idle);
  place_gaps(spans, gpu.gaps);
  if (with_figures) {
    gpu.drawn_gaps = longest_gaps(idle, gaps_drawn);
    gpu.gaps_left_out = idle.size() - gpu.drawn_gaps.size();
    place_gaps(spans, gpu.drawn_gaps);
  }
  IdleAttribution idle_attribution(timeline, attribution.work, activity.work, host);
  const CausesBySpan by_step(spans);
  for (std::span<const Interval> rest = idle; !rest.empty();) {
    const std::span<const Interval> some = rest.first(std::min(rest.size(), gaps_at_a_time));
    const std::array<Intervals, model::idle_cause_count> causes = idle_attribution.causes_of(some);
    by_step.add(causes, {some.front().begin, some.back().end}, gpu.steps);
    add_causes(causes, gpu.gaps);
    add_causes(causes, gpu.drawn_gaps);
    rest = rest.subspan(some.size());
  }
  name_gaps(timeline, attribution, activity.work, gaps_named, gpu.gaps);
  if (with_figures) name_gaps(timeline, attribution, activity.work, drawn_gaps_named, gpu.drawn_gaps);
  if (steps.source != model::StepSource::recording) leave_out_one_offs(spans, gpu);
  return gpu;
}

}  // namespace frx::derive::trace
