// Loops of the host around launches: whether they allocate memory of the GPU in each iteration.
#pragma once

#include <memory>

#include "derive/cuda/trace.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

// Does a launch stand in a loop of which no constants say that it has few iterations?
bool is_in_long_host_loop(const Trace& trace, const LaunchSite& site);

// The first call in a loop that allocates or frees memory of the GPU in each iteration; null where there is none, or the loop is one over
// devices.
std::shared_ptr<const model::cuda::HostCall> allocation_in(const Program& program, const Loop& loop);

}  // namespace frx::derive::cuda
