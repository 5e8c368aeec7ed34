// The peak use of the memory of each GPU, as recorded by its allocator.
#pragma once

#include <vector>

#include "model/gpu_sample.h"
#include "model/timeline.h"

namespace frx::derive::trace {

// One sample for each GPU with recorded memory (profile_memory=True) of known size: the reserved memory at its peak.
std::vector<model::GpuSample> memory_peaks(const model::Timeline& timeline);

}  // namespace frx::derive::trace
