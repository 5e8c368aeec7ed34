// Waits of host code for the GPU between launches that need none: launches of one stream run one after the other by themselves.
//
//   step<<<grid, 256>>>(b, a);  cudaDeviceSynchronize();  step<<<grid, 256>>>(a, b);
#pragma once

#include <cstdint>
#include <optional>

#include "derive/cuda/program.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

// Of a host function, with the node of the launch before the first one; nothing where there is none. Waits count where nothing up to the
// next launch, or up to that of the next iteration of the loop around, needs what the GPU has done.
struct FoundWaits {
  std::uint32_t launch = none;
  model::cuda::NeedlessWaits waits;
};
std::optional<FoundWaits> needless_waits(const Program& program, const Function& function);

}  // namespace frx::derive::cuda
