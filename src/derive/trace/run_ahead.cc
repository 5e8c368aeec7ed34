#include "derive/trace/run_ahead.h"

#include <algorithm>
#include <cstdlib>

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

// Below this share of all time the work that is left when a step ends (of an optimizer, say) makes no difference worth two clocks.
constexpr double notable_share = 0.05;

// When the GPU has done the kernels that each step launched; INT64_MIN for a step without any.
std::vector<std::int64_t> ends_on_gpu(const Timeline& timeline, const Attribution& attribution, const Steps& steps,
                                      std::span<const Interval> spans) {
  std::vector<std::int64_t> ends(spans.size(), INT64_MIN);
  for (const GpuWork& one : attribution.work) {
    if (one.launch == none || timeline.kind[one.event] != EventKind::kernel) continue;
    if (!steps.pid.empty() && timeline.tracks[timeline.track[one.launch]].pid != steps.pid) continue;
    const auto next = std::ranges::upper_bound(spans, timeline.start[one.launch], {}, &Interval::begin);
    if (next == spans.begin() || timeline.start[one.launch] >= std::prev(next)->end) continue;
    std::int64_t& end = ends[static_cast<std::size_t>(std::prev(next) - spans.begin())];
    end = std::max(end, timeline.end(one.event));
  }
  return ends;
}

// Times are rounded when they are written, begin and duration each for itself: steps that follow each other overlap by as much.
constexpr std::int64_t rounding_ns = 2'000;

// From launch to begin on a GPU with nothing to do, with the launch of a large graph.
constexpr std::int64_t longest_launch_ns = 1'000'000;

void begin_with_gpu_if_it_was_busy(const Timeline& timeline, const Attribution& attribution, Steps& recording) {
  if (attribution.work.empty() || attribution.work.front().launch == none) return;
  const GpuWork& first = attribution.work.front();
  Interval& span = recording.steps.front().span;
  const std::int64_t begin = timeline.start[first.event];
  if (begin - timeline.end(first.launch) > longest_launch_ns && span.begin < begin && begin < span.end) span.begin = begin;
}

// Without launches nothing tells which step work belongs to. Steps that end before half of it has run are not those of the GPU.
bool hold_the_work(const Timeline& timeline, const Attribution& attribution, std::span<const Interval> spans) {
  std::int64_t all = 0, within = 0, without_launch = 0;
  for (const GpuWork& one : attribution.work) {
    const std::int64_t duration = timeline.duration[one.event];
    all += duration;
    without_launch += one.launch == none ? duration : 0;
    within += std::clamp<std::int64_t>(
        std::min(timeline.end(one.event), spans.back().end) - std::max(timeline.start[one.event], spans.front().begin), 0, duration);
  }
  return without_launch * 2 < all || within * 2 >= all;
}

}  // namespace

void follow_gpu(const Timeline& timeline, const Attribution& attribution, Steps& steps) {
  if (timeline.clock_broken) return;
  if (steps.source == model::StepSource::recording) return begin_with_gpu_if_it_was_busy(timeline, attribution, steps);
  const std::vector<Interval> spans = spans_of(steps);
  const auto overlap = std::ranges::adjacent_find(spans, [](Interval a, Interval b) { return b.begin < a.end - rounding_ns; });
  if (overlap != spans.end()) return;
  if (!hold_the_work(timeline, attribution, spans)) {
    steps = whole(timeline);
    return;
  }
  const std::vector<std::int64_t> ends = ends_on_gpu(timeline, attribution, steps, spans);
  std::vector<Interval> times;
  std::int64_t done = INT64_MIN, in_program = 0, difference = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const std::int64_t begin = std::max(spans[i].begin, done);
    done = std::max({begin, spans[i].end, ends[i]});
    times.push_back({begin, done});
    in_program += spans[i].length();
    difference += std::abs(times[i].length() - spans[i].length());
  }
  if (static_cast<double>(difference) <= notable_share * static_cast<double>(in_program)) return;
  steps.runs_ahead = true;
  for (std::size_t i = 0; i < spans.size(); ++i) steps.steps[i].time = times[i];
}

}  // namespace frx::derive::trace
