// Waits and allocations that stand in one function of the host and cost where another one calls it.
//
//   void scale(float* a) { k<<<grid, 256>>>(a); cudaDeviceSynchronize(); }      for (...) { scale(a); scale(b); }
#pragma once

#include <span>
#include <vector>

#include "derive/cuda/host_helpers.h"
#include "derive/cuda/mentions.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

// Notes at the launches of `helpers` what their callers pay for, where nothing is noted there yet. A name counts where only one
// function has it. `mentions`: of each file; `launches`: by file, line and column.
void note_callers(const Program& program, std::span<const Mentions> mentions, std::vector<HostHelper> helpers, const HostMemory& memory,
                  std::vector<model::cuda::Launch>& launches);

}  // namespace frx::derive::cuda
