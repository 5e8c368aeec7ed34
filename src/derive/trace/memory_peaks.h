// How full the memory of each GPU was at most, as its allocator saw it.
#pragma once

#include <vector>

#include "model/gpu_sample.h"
#include "model/timeline.h"

namespace frx::derive::trace {

// One sample for each GPU whose memory was recorded (profile_memory=True) and is known in size: what was reserved at its peak.
std::vector<model::GpuSample> memory_peaks(const model::Timeline& timeline);

}  // namespace frx::derive::trace
