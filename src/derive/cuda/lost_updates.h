// Values that several threads read, change and store at one place without an atomic, so that what some of them have added is lost.
//
//   *sum += x[i];               every thread
//   count[threadIdx.x] += 1;    thread 0 of each block, thread 1 of each block, ...
//   bins[keys[i]]++;            threads with equal keys
#pragma once

#include <cstdint>
#include <vector>

#include "derive/cuda/lanes.h"
#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

struct LostUpdate {
  enum Kind : std::uint8_t {
    of_threads,  // of a block, at one address
    of_blocks,   // the same thread of several blocks
    of_chosen,   // those threads of a block for which the data or the arguments say so, at one address
    of_keys,     // threads for which the data choose one element, to which they add a number
    of_indices,  // the same of any value, where the index is a place in a grid or another share of a number
  };
  std::uint32_t access = 0;  // the store
  Kind kind = of_threads;
};

// Only what is certain for the sampled sizes, but for of_indices. `has_several_blocks`: some launch has.
std::vector<LostUpdate> lost_updates(const Trace& trace, const Shape& block, bool has_several_blocks);

}  // namespace frx::derive::cuda
