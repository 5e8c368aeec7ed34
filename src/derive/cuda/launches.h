// Launches, and what can be said about each of them and about what a kernel leaves room for.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "derive/cuda/trace.h"
#include "knowledge/gpus.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

// All `name<<<...>>>(...)` of the program, by file and line.
std::vector<model::cuda::Launch> launches_of(const Program& program);

model::CodeSubject launch_subject(const model::cuda::Launch& launch);

// Of a block of that size, with registers left out: they are not known before compilation.
std::optional<double> occupancy_pct(std::uint64_t threads, std::uint64_t shared_bytes,
                                    const knowledge::SmLimits* limits);

model::CodeSubject occupancy_subject(const model::cuda::Kernel& kernel,
                                     std::span<const model::cuda::Launch* const> launches,
                                     const knowledge::SmLimits* limits);

model::cuda::LaunchAdvice advice_for(const model::cuda::Kernel& kernel,
                                     std::span<const model::cuda::Launch* const> launches,
                                     const knowledge::SmLimits* limits);

}  // namespace frx::derive::cuda
