// Elements beyond the end of a shared array, or before its beginning, that threads of a known block certainly touch.
//
//   __shared__ float s[256];  s[threadIdx.x + 2]      of 256 threads, the last two
#pragma once

#include <cstdint>
#include <vector>

#include "derive/cuda/lanes.h"
#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

struct BeyondShared {
  std::uint32_t access = 0;
  std::int64_t byte = 0, bytes = 0;  // where the access ends, or begins if that is below 0; of the array
};

// By access. Only addresses that thread numbers, the block and constants decide, in one of the first iterations of their loops.
std::vector<BeyondShared> accesses_beyond_shared(const Trace& trace, const Shape& block);

}  // namespace frx::derive::cuda
