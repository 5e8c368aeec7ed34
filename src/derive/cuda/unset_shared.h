// Shared memory that is read although no thread of the block has written it.
//
//   __shared__ float s[256];
//   for (int k = i; k < n; k += step) s[threadIdx.x] += x[k];       the first of them adds to what lies there by chance
#pragma once

#include <cstdint>
#include <optional>

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

// The first such access, by its number in the trace. Nothing where memory may be written in a way that is not seen, or where an earlier
// iteration of a loop may have written it.
std::optional<std::uint32_t> unset_shared_read(const KernelView& view);

}  // namespace frx::derive::cuda
