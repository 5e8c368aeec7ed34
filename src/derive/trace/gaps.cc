#include "derive/trace/gaps.h"

#include <algorithm>

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::IdleGap;
using model::Timeline;

bool is_of_program(EventKind kind) {
  switch (kind) {
    case EventKind::cpu_op:
    case EventKind::annotation:
    case EventKind::runtime:
    case EventKind::driver:
    case EventKind::python:
    case EventKind::overhead: return true;
    default: return false;
  }
}

// An event that may say what the program did in a gap.
struct Candidate {
  std::uint32_t row = none;
  bool is_on_thread = false;
  std::int64_t duration = 0;

  bool is_better_than(const Candidate& other) const {
    if (other.row == none || is_on_thread != other.is_on_thread) return other.row == none || is_on_thread;
    return duration < other.duration;
  }
};

// The thread that launched the first work behind the gap; none when the launch is not in the file.
std::uint32_t thread_behind(const Timeline& timeline, const Attribution& attribution, std::span<const std::uint32_t> order,
                            const IdleGap& gap) {
  const auto next =
      std::ranges::lower_bound(order, gap.end, {}, [&](std::uint32_t i) { return timeline.start[attribution.work[i].event]; });
  if (next == order.end() || attribution.work[*next].launch == none) return none;
  return timeline.track[attribution.work[*next].launch];
}

}  // namespace

std::vector<IdleGap> longest_gaps(std::span<const Interval> idle, std::size_t most) {
  std::vector<Interval> longest(std::min(most, idle.size()));
  std::ranges::partial_sort_copy(
      idle, longest, [](Interval a, Interval b) { return a.length() != b.length() ? a.length() > b.length() : a.begin < b.begin; });
  std::ranges::sort(longest, {}, &Interval::begin);
  std::vector<IdleGap> gaps;
  for (const Interval& gap : longest) gaps.push_back({gap.begin, gap.end, {}, {}, false, 0, 0});
  return gaps;
}

void name_gaps(const Timeline& timeline, const Attribution& attribution, std::span<const std::uint32_t> order, std::size_t count,
               std::vector<IdleGap>& gaps) {
  std::vector<IdleGap*> named;
  for (IdleGap& gap : gaps) named.push_back(&gap);
  std::ranges::sort(named, std::ranges::greater{}, &IdleGap::length);
  named.resize(std::min(count, named.size()));
  if (named.empty()) return;
  std::vector<std::uint32_t> threads;
  for (const IdleGap* gap : named) threads.push_back(thread_behind(timeline, attribution, order, *gap));
  std::vector<Candidate> best(named.size());
  // Most events are too short to cover half of any gap.
  const std::int64_t shortest = named.back()->length();
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.duration[row] * 2 < shortest || !is_of_program(timeline.kind[row])) continue;
    for (std::size_t i = 0; i < named.size(); ++i) {
      const std::int64_t covered = std::min(timeline.end(row), named[i]->end) - std::max(timeline.start[row], named[i]->begin);
      if (covered * 2 < named[i]->length()) continue;
      const Candidate candidate{row, timeline.track[row] == threads[i], timeline.duration[row]};
      if (candidate.is_better_than(best[i])) best[i] = candidate;
    }
  }
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (best[i].row != none) named[i]->during = timeline.name_of(best[i].row);
  }
}

std::size_t one_off_count(std::span<const IdleGap> by_length, std::size_t steps, std::int64_t all_ns) {
  constexpr std::size_t most = 5, steps_for_each = 4;
  constexpr std::int64_t least_share = 50, times_the_next = 3;
  const std::size_t limit = std::min(most, steps / steps_for_each);
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(limit, by_length.size()); ++i) {
    const std::int64_t length = by_length[i].length();
    if (length * least_share < all_ns) break;
    // The last of them all that were kept may be followed by more of its length.
    const bool is_last = i + 1 == by_length.size();
    if (is_last ? by_length.size() < gaps_kept : by_length[i + 1].length() * times_the_next <= length) count = i + 1;
  }
  return count;
}

}  // namespace frx::derive::trace
