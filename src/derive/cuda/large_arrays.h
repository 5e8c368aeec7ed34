// Local arrays that are larger than the registers of a thread, so that they lie in memory whatever is unrolled.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

struct LargeArray {
  std::uint32_t memory = none;
  std::uint64_t bytes = 0;
  std::vector<std::uint32_t> accesses;  // by which loops read more of it than registers hold; by their numbers in the trace
};

// The first such array of a kernel, of a constant size; none where there is no such array.
LargeArray large_local_array(const Trace& trace);

}  // namespace frx::derive::cuda
