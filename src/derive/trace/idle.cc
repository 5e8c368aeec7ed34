#include "derive/trace/idle.h"

#include <algorithm>

namespace frx::derive::trace {
namespace {

using model::Timeline;

// How long before a stretch of idleness a wait may have ended and still be its cause: the GPU finishes, the call returns
// a little later.
constexpr std::int64_t wake_up_ns = 50'000;
// A call that takes longer than this does more than launching: it loads code, or waits.
constexpr std::int64_t long_launch_ns = 100'000;

// The part of the gap in which the next work had not been launched yet; the rest is the GPU's own.
struct Gap {
  Interval late;
  Interval launched;
  bool is_known = false;
};

Gap divided(const Timeline& timeline, Interval gap, const std::vector<GpuWork>& work, std::size_t& next) {
  while (next < work.size() && timeline.start[work[next].event] < gap.end) ++next;
  if (next == work.size() || work[next].launch == none) return {gap, {gap.end, gap.end}, false};
  const std::uint32_t call = work[next].launch;
  const std::int64_t ready = timeline.duration[call] > long_launch_ns ? timeline.end(call) : timeline.start[call];
  const std::int64_t launch = std::clamp(ready, gap.begin, gap.end);
  return {{gap.begin, launch}, {launch, gap.end}, true};
}

// How much of a late stretch a wait for the GPU explains. Without the wait the program would have been ahead by as long as
// it stood still, no longer.
std::int64_t lost_to_wait(const Intervals& waits, Interval span) {
  const auto next = std::ranges::lower_bound(waits, span.end, {}, &Interval::begin);
  if (next == waits.begin()) return 0;
  const Interval& last = *std::prev(next);
  if (last.end <= span.begin - wake_up_ns) return 0;
  const std::int64_t until = std::max(last.end, span.begin) - span.begin;  // still standing
  return std::min(span.length(), until + last.length());
}

}  // namespace

std::array<Intervals, idle_cause_count> blame(const Timeline& timeline, Intervals idle, const std::vector<GpuWork>& work,
                                              const HostRanges& host) {
  std::array<Intervals, idle_cause_count> causes;
  const auto add = [&](IdleCause cause, Interval span) {
    if (span.length() > 0) causes[static_cast<std::size_t>(cause)].push_back(span);
  };
  Intervals late, unknown;
  // Room that is not used costs nothing.
  for (Intervals* list : {&late, &unknown, &causes[static_cast<std::size_t>(IdleCause::device)]}) list->reserve(idle.size());
  std::size_t next = 0;
  for (const Interval& gap : idle) {
    const Gap parts = divided(timeline, gap, work, next);
    if (parts.late.length() > 0) (parts.is_known ? late : unknown).push_back(parts.late);
    add(IdleCause::device, parts.launched);
  }
  idle = {};
  // Without a launch to look at, ranges of the program still tell what it did.
  const auto take = [&](IdleCause cause, const Intervals& ranges) {
    Intervals both = common(late, ranges);
    const Intervals more = common(unknown, ranges);
    both.insert(both.end(), more.begin(), more.end());
    causes[static_cast<std::size_t>(cause)] = united(std::move(both));
    late = without(std::move(late), ranges);
    unknown = without(std::move(unknown), ranges);
  };
  take(IdleCause::input, host.input);
  take(IdleCause::allocator, host.allocator);
  causes[static_cast<std::size_t>(IdleCause::unknown)].reserve(unknown.size());
  causes[static_cast<std::size_t>(IdleCause::host)].reserve(late.size());
  const std::vector<std::int64_t> waited = total_in_each(unknown, host.sync);
  for (std::size_t i = 0; i < unknown.size(); ++i) add(waited[i] > 0 ? IdleCause::sync : IdleCause::unknown, unknown[i]);
  for (const Interval& span : late) {
    const std::int64_t lost = lost_to_wait(host.sync, span);
    add(IdleCause::sync, {span.begin, span.begin + lost});
    add(IdleCause::host, {span.begin + lost, span.end});
  }
  Intervals& sync = causes[static_cast<std::size_t>(IdleCause::sync)];
  sync = united(std::move(sync));
  return causes;
}

}  // namespace frx::derive::trace
