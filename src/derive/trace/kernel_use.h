// What the kernels of a trace are, by their names, and how full of warps they kept the GPU.
#pragma once

#include <cstdint>
#include <optional>

#include "derive/trace/attribution.h"
#include "knowledge/kernel_classes.h"
#include "model/timeline.h"

namespace frx::derive::trace {

// Sums of the times of kernels, on all GPUs; those side by side count twice.
struct KernelUse {
  std::int64_t all_ns = 0;           // kernels, collectives included
  std::int64_t collectives_ns = 0;   // the next three are of the others
  std::int64_t tensor_core_ns = 0;   // matrix work that runs on tensor cores, as the names say
  std::int64_t fp32_matrix_ns = 0;   // matrix work in FP32 past the tensor cores, as the names say
  std::int64_t other_matrix_ns = 0;  // matrix work whose names say neither
  std::int64_t layout_ns = 0;        // kernels that only bring tensors into another layout, as the names say
  // "est. achieved occupancy %" of the profiler, weighted by time; absent where no kernel has it.
  std::optional<double> occupancy_pct;
  std::int64_t occupancy_ns = 0;  // the time of the kernels that have it

  std::int64_t computing_ns() const { return all_ns - collectives_ns; }
};

KernelUse kernel_use(const model::Timeline& timeline, const Attribution& attribution, const knowledge::KernelClasses& classes,
                     std::int64_t rank);

}  // namespace frx::derive::trace
