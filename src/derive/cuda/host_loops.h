// Loops of the host around launches: whether they allocate memory of the GPU in each iteration.
#pragma once

#include <memory>

#include "derive/cuda/trace.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

// The innermost loop around a launch; null where there is none, or where constants say that it has few iterations.
std::shared_ptr<const model::cuda::HostLoop> host_loop_around(const Program& program, const Trace& trace, const LaunchSite& site);

}  // namespace frx::derive::cuda
