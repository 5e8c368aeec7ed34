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

// blockIdx.y * 256 + threadIdx.x, of blocks with 256 threads along x: the blocks along one axis go on where the threads along the other one
// end.
class CrossedIndex {
 public:
  // `block_axis`: of the blocks, 0: x, 1: y.
  CrossedIndex(const Expressions& e, std::size_t block_axis, const Shape& block);

  // Does the kernel have such an index, and multiply the number of a block by nothing else? Then its data are not by something else.
  bool is_used_alone() const { return is_used_alone_; }
  bool is_in(ExprId root) const;

 private:
  ExprId factor_of(ExprId term) const;  // of the number of a block; none in other terms
  bool goes_on(ExprId term) const;

  const Expressions* e_;
  Op number_, thread_, extent_;
  std::int64_t threads_;
  bool is_used_alone_ = false;
};

// An access to global memory whose neighbours in x are its neighbours in memory, by the thread's number alone.
bool is_flat(const KernelView& view, std::size_t access);

}  // namespace frx::derive::cuda
