// The documented tags of a kernel: how it indexes, how it accesses memory, which atomics and reductions it has.
#pragma once

#include <optional>

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

void add_tags(const KernelView& view, model::cuda::Kernel& kernel);

// Does any expression contain blockIdx * blockDim + threadIdx in one direction? 0: x, 1: y, 2: z.
bool has_global_index(const Trace& trace, int direction);

// Does this expression contain it, in any direction or in one alone, with the size of a block and not a pitch as the factor?
bool has_global_index(const Expressions& e, ExprId root, std::optional<int> only = {});

// Does it contain blockIdx.y * 256 + threadIdx.x, of blocks with 256 threads along x? The blocks along `block_axis` (0: x, 1: y) go on
// where the threads along the other one of the two end.
// Not where the kernel multiplies their number by something else as well: that is what their data are by.
bool has_crossed_index(const Expressions& e, ExprId root, std::size_t block_axis, const Shape& block);

// An access to global memory whose neighbours in x are its neighbours in memory, by the thread's number alone.
bool is_flat(const KernelView& view, std::size_t access);

}  // namespace frx::derive::cuda
