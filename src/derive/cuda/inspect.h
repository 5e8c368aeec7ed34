// The whole of static analysis of CUDA source: from files to kernels, launches, facts for the rules, and advice.
#pragma once

#include <span>

#include "knowledge/gpus.h"
#include "model/cuda_kernel.h"
#include "model/cuda_source.h"

namespace frx::derive::cuda {

// Files are one program: a kernel of one may be launched, and its functions defined, in another. `limits` may be
// null; then nothing is said about occupancy.
model::cuda::Inspection inspect(std::span<const model::cuda::Source> sources, const knowledge::SmLimits* limits);

}  // namespace frx::derive::cuda
