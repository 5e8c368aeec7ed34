// What one thread of a block does alone, while the others wait at a barrier or have nothing left to do.
#pragma once

#include <cstdint>
#include <set>

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

enum class LoneWork : std::uint8_t {
  nothing,
  loop_of_warps,  // a loop over shared memory with an iteration for each of 16 warps, or as many
  large_record,   // a copy for which one thread needs as many accesses as a long loop
  loop_of_block,  // a loop of as many iterations as the block has threads, or of 64
};

class LoneThreads {
 public:
  // `view` must outlive it.
  explicit LoneThreads(const KernelView& view);

  // The longest of what a branch leaves to one thread of a block of several warps, in a kernel with barriers.
  LoneWork work_of(const BranchSite& site) const;

 private:
  LoneWork longest_loop(const BranchSite& site) const;
  bool is_shared_elsewhere(const Loop& loop) const;

  const KernelView& view_;
  std::set<ExprId> shared_lengths_;  // of loops that the threads of the block share: for (i = threadIdx.x; i < n; i += blockDim.x)
};

// if (lane == 0) for (i = 0; i < n; ++i) ...: do the other lanes of each warp wait for as long as nested loops take? Loops of few
// iterations are a short task; one that ends when memory says so is a lock or a list, which lanes could not share.
bool is_long_work_of_one_lane(const Trace& trace, const BranchSite& site);

}  // namespace frx::derive::cuda
