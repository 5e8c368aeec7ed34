// Threads that touch what other threads write, with nothing that orders them in between.
//
//   s[threadIdx.x] = a[i]; x = s[255 - threadIdx.x];          written and read without a barrier
//   for (...) { s[threadIdx.x] = a[k]; __syncthreads(); x += s[0]; }    overwritten while others still read
//   v[lane] += v[lane + 16]; v[lane] += v[lane + 8];          lanes of a warp do not run in step
//   a[i] = a[i - 1] + a[i + 1];                               neighbours are in other blocks
#pragma once

#include <cstdint>
#include <vector>

#include "derive/cuda/lanes.h"
#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

struct Race {
  std::uint32_t write = none, other = none;  // accesses
  bool is_in_next_iteration = false;
};

// Only what is certain for the sampled sizes, in the order of the writes.
struct Races {
  std::vector<Race> between_warps;   // of shared memory
  std::vector<Race> within_warps;    // the same, where only lanes of one warp meet
  std::vector<Race> between_blocks;  // of global memory
};

// What a block writes before it takes a ticket is read by the block that takes the last one, without a fence in between (tickets.cc).
void add_unfenced_tickets(const Trace& trace, Races& races);

// `is_launched`: the shape is that of a launch, not assumed.
Races races_of(const Trace& trace, const Shape& block, bool is_launched);

}  // namespace frx::derive::cuda
