// Launches of a host function that follow one another.
//
//   scale<<<grid, 256>>>(t, x, a, n);  cudaDeviceSynchronize();  add<<<grid, 256>>>(y, t, n);
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "derive/cuda/program.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

// The launches of a host function that follow another one of the same shape and stream, with nothing between them but waits and looks at
// errors, and with an argument in common; by node of the call.
using PreviousLaunches = std::unordered_map<std::uint32_t, std::shared_ptr<const model::cuda::PreviousLaunch>>;
PreviousLaunches previous_launches(const Program& program, const Function& function);

}  // namespace frx::derive::cuda
