// Windows that each thread reads around its own place, so that those of neighbours overlap: in[(y + j) * width + x + i].
#pragma once

#include <cstddef>
#include <vector>

#include "derive/cuda/lanes.h"
#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

struct Windows {
  std::vector<std::size_t> loads;  // from global memory, by number
  bool are_written_out = false;    // without a loop
};

// The loads of which neighbouring threads of the block make most at the same places: in loops that move as far as from one thread to the
// next, or else one by one.
Windows windowed_loads(const Trace& trace, const Shape& block);

}  // namespace frx::derive::cuda
