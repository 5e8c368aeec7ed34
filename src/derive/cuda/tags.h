// The documented words about a kernel: how it indexes, how it reaches memory, which atomics and reductions it has.
#pragma once

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

void add_tags(const KernelView& view, model::cuda::Kernel& kernel);

// Does any expression hold blockIdx * blockDim + threadIdx in one direction? 0: x, 1: y, 2: z.
bool has_global_index(const Trace& trace, int direction);

// Is it a part of this one, in any direction, with the size of a block and not a pitch as the factor?
bool has_global_index(const Expressions& e, ExprId root);

// An access to global memory whose neighbours in x are its neighbours in memory, by the thread's number alone.
bool is_flat(const KernelView& view, std::size_t access);

}  // namespace frx::derive::cuda
