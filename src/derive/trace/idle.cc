#include "derive/trace/idle.h"

#include <algorithm>

namespace frx::derive::trace {
namespace {

using model::IdleCause;
using model::Timeline;

// How long before an idle interval a wait may have ended and still be its cause: the call returns a little after the GPU has
// finished.
constexpr std::int64_t wake_up_ns = 50'000;

// By how much the times of GPU and CPU may differ.
constexpr std::int64_t clock_error_ns = 10'000;

// The waits that may touch the interval.
std::span<const Interval> near(std::span<const Interval> ranges, Interval interval) {
  const auto first = std::ranges::upper_bound(ranges, interval.begin, {}, &Interval::end);
  return {first, std::ranges::lower_bound(first, ranges.end(), interval.end, {}, &Interval::begin)};
}

// How much of a late interval waits for the GPU explain. Without a wait the program would have been ahead by its duration, not by more:
// that of the waits within the interval, and that of the one which ended as the GPU had finished.
std::int64_t lost_to_waits(const Intervals& waits, Interval span) {
  std::int64_t lost = 0;
  for (const Interval& wait : near(waits, {span.begin - wake_up_ns, span.end})) lost += std::min(wait.end, span.end) - wait.begin;
  return std::min(span.length(), lost);
}

}  // namespace

// The part of the gap before the next work was launched; the rest is due to the GPU.
struct IdleAttribution::Gap {
  Interval late;
  Interval launched;
  bool is_known = false;
  std::int64_t next_begin = INT64_MAX;  // of the work behind the gap
};

IdleAttribution::Gap IdleAttribution::divided(Interval gap) {
  while (next_ < order_.size() && timeline_.start[work_[order_[next_]].event] < gap.end) ++next_;
  if (next_ == order_.size()) return {gap, {gap.end, gap.end}, false};
  if (work_[order_[next_]].launch == none) return {gap, {gap.end, gap.end}, false, timeline_.start[work_[order_[next_]].event]};
  const std::uint32_t call = work_[order_[next_]].launch;
  // Until the call returns the launch itself is what the GPU waits for; most kernels begin before that.
  const std::int64_t launch = std::clamp(timeline_.end(call), gap.begin, gap.end);
  return {{gap.begin, launch}, {launch, gap.end}, true, timeline_.start[work_[order_[next_]].event]};
}

// What of the ranges lies in the gaps and may be what their next work waited for. A range that goes on while that work begins is not: the
// program was within it, so it had launched the work before.
Intervals IdleAttribution::ended_before_work(std::span<const Gap> gaps, std::span<const Interval> ranges) {
  Intervals ended;
  for (const Gap& gap : gaps) {
    for (const Interval& range : near(ranges, gap.late)) {
      if (range.end <= gap.next_begin || range.end - gap.next_begin <= clock_error_ns)
        ended.push_back({std::max(range.begin, gap.late.begin), std::min(range.end, gap.late.end)});
    }
  }
  return united(std::move(ended));
}

std::array<Intervals, model::idle_cause_count> IdleAttribution::causes_of(std::span<const Interval> idle) {
  std::array<Intervals, model::idle_cause_count> causes;
  if (idle.empty()) return causes;
  const auto add = [&](IdleCause cause, Interval span) {
    if (span.length() > 0) causes[static_cast<std::size_t>(cause)].push_back(span);
  };
  Intervals late, unknown;
  std::vector<Gap> unknown_gaps;
  for (const Interval& gap : idle) {
    const Gap parts = divided(gap);
    if (parts.late.length() > 0) (parts.is_known ? late : unknown).push_back(parts.late);
    if (parts.late.length() > 0 && !parts.is_known) unknown_gaps.push_back(parts);
    add(IdleCause::device, parts.launched);
  }
  const Interval all{idle.front().begin, idle.back().end};
  // Without the launch, ranges of the program still show what it did.
  const auto take = [&](IdleCause cause, std::span<const Interval> ranges) {
    Intervals both = common(late, ranges);
    const Intervals ended = ended_before_work(unknown_gaps, ranges);
    const Intervals more = common(unknown, ended);
    both.insert(both.end(), more.begin(), more.end());
    causes[static_cast<std::size_t>(cause)] = united(std::move(both));
    late = without(std::move(late), ranges);
    unknown = without(std::move(unknown), ended);
  };
  take(IdleCause::input, near(host_.input, all));
  take(IdleCause::first_use, near(host_.first_use, all));
  take(IdleCause::allocator, near(host_.allocator, all));
  const std::vector<std::int64_t> waited = total_in_each(unknown, near(host_.sync, all));
  for (std::size_t i = 0; i < unknown.size(); ++i) add(waited[i] > 0 ? IdleCause::sync : IdleCause::unknown, unknown[i]);
  for (const Interval& span : late) {
    const std::int64_t lost = lost_to_waits(host_.sync, span);
    // Calls that free memory wait for the GPU as well: what the program does behind them it could have done meanwhile.
    const std::int64_t more = std::min(span.length() - lost, lost_to_waits(host_.allocator, span));
    add(IdleCause::sync, {span.begin, span.begin + lost});
    add(IdleCause::allocator, {span.begin + lost, span.begin + lost + more});
    add(IdleCause::host, {span.begin + lost + more, span.end});
  }
  for (const IdleCause cause : {IdleCause::sync, IdleCause::allocator}) {
    Intervals& intervals = causes[static_cast<std::size_t>(cause)];
    intervals = united(std::move(intervals));
  }
  return causes;
}

}  // namespace frx::derive::trace
