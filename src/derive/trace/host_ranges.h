// Activities of the threads of the program: intervals by kind, from the names of ranges and calls.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/intervals.h"
#include "model/timeline.h"

namespace frx::derive::trace {

// The intervals of one process, united over its threads.
struct HostRanges {
  Intervals input, sync, allocator, first_use, forward, backward, optimizer;
  bool has_calls = false;  // of the runtime or the driver: without any, waits for the GPU are unknown
};

// Does the range wait for the next batch?
bool waits_for_input(std::string_view range);
// Does the call wait until the GPU has done something?
bool waits_for_gpu(std::string_view call);
// Does the call reserve or free device memory, which stops the GPU?
bool allocates(std::string_view call);

// Does the call, or the range, load, compile or capture code, which happens once? A capture is the calls that begin and end it.
bool prepares_code(std::string_view name);

// By pid; "" is everything.
std::map<std::string, HostRanges> host_ranges(const model::Timeline& timeline);

}  // namespace frx::derive::trace
