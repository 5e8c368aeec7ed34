// The whole of static analysis of CUDA source: from files to kernels, launches, facts for the rules, and advice.
#pragma once

#include <functional>
#include <span>

#include "knowledge/gpus.h"
#include "model/cuda_kernel.h"
#include "model/cuda_source.h"

namespace frx::derive::cuda {

// Files are one program: a kernel of one may be launched, and its functions defined, in another. `limits` may be
// null; then nothing is said about occupancy.
model::cuda::Inspection inspect(std::span<const model::cuda::Source> sources, const knowledge::SmLimits* limits);

// The same, but each subject is handed over as soon as it is known, in their order, and not kept.
using SubjectSink = std::function<void(model::CodeSubject&&)>;
model::cuda::Inspection inspect(std::span<const model::cuda::Source> sources, const knowledge::SmLimits* limits, const SubjectSink& sink);

}  // namespace frx::derive::cuda
