// What is wrong with a recording although each of its events can be read.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/trace/attribution.h"
#include "model/timeline.h"

namespace frx::derive::trace {

struct Damage {
  // From the first event to the last, when that is more than a day: clocks were mixed, and nothing may be measured between events.
  std::int64_t apart_ns = 0;
  // GPU work that begins before the call which launched it began: the clocks of program and GPU differ.
  std::uint64_t early_work = 0;
  std::int64_t earliest_ns = 0;     // how long before, at most
  std::uint64_t doubled_work = 0;   // with the times, the name, the stream and the correlation of another
  std::uint64_t launches = 0;       // calls that launch kernels
  std::uint64_t same_launches = 0;  // those whose correlation another such call of the process has: kernels cannot be told from each other
};

// O(n log n) in the calls, O(n) in the rest.
Damage damage_of(const model::Timeline& timeline, const Attribution& attribution);

}  // namespace frx::derive::trace
