// How much work was launched and had not begun, over the time of a recording: how far the program runs ahead of the GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/trace/attribution.h"
#include "model/timeline.h"

namespace frx::derive::trace {

struct LaunchQueue {
  std::int32_t device = -1;
  std::uint64_t median = 0, longest = 0;   // launches; the median is of the time
  std::int64_t empty_ns = 0, span_ns = 0;  // of the time from the first launch to the last begin, that without a launch in the queue
  std::uint64_t launches = 0;              // counted; a graph is one
};

// By device, those with launches in the file. Calls that have returned count, until the first of what they launched begins. O(n log n) in
// the pieces of work.
std::vector<LaunchQueue> launch_queues(const model::Timeline& timeline, const Attribution& attribution, std::int64_t rank);

}  // namespace frx::derive::trace
