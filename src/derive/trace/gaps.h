// The largest idle gaps of a GPU, and what the program did in them.
#pragma once

#include <span>
#include <vector>

#include "base/intervals.h"
#include "derive/trace/attribution.h"
#include "model/gpu_time.h"
#include "model/timeline.h"

namespace frx::derive::trace {

// So many are kept of each GPU.
inline constexpr std::size_t gaps_kept = 16;
// And so many for a figure, of which the longest are named.
inline constexpr std::size_t gaps_drawn = 1000, drawn_gaps_named = 50;

// The longest of `idle` (ascending), ascending by begin.
std::vector<model::IdleGap> longest_gaps(std::span<const Interval> idle, std::size_t most = gaps_kept);

// Says what the program did in each of the first `count` gaps by length: the event that covers at least half of it and is the shortest
// such, of the thread that launched the next work where that is known. `order`: the work of this GPU, by start, as indices into the
// attribution. O(count) for each event of the timeline.
void name_gaps(const model::Timeline& timeline, const Attribution& attribution, std::span<const std::uint32_t> order, std::size_t count,
               std::vector<model::IdleGap>& gaps);

// Of gaps by length, the first that happen once in so many steps: at most five, in at most a quarter of the steps, each at least a fiftieth
// of `all_ns`, and three times as long as the next one. 0 when they recur, or when there are too few steps to tell.
std::size_t one_off_count(std::span<const model::IdleGap> by_length, std::size_t steps, std::int64_t all_ns);

}  // namespace frx::derive::trace
