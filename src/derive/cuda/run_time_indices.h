// Local arrays with indices that are known at run time only: registers have no index, so that these arrays lie in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

// The accesses with such indices, in loops, whatever is unrolled; by their numbers in the trace.
std::vector<std::uint32_t> run_time_indexed_accesses(const Trace& trace);

}  // namespace frx::derive::cuda
