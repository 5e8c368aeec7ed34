// The parts of the time of steps on one GPU.
#pragma once

#include "derive/trace/activities.h"
#include "derive/trace/host_ranges.h"
#include "derive/trace/steps.h"
#include "model/gpu_time.h"

namespace frx::derive::trace {

// `host`: of the process that launched the activity. O(n log n) in the number of pieces of work.
model::GpuSteps gpu_steps(const model::Timeline& timeline, const Attribution& attribution, std::int32_t device, Activity activity,
                          const Steps& steps, const HostRanges& host, bool with_figures = false);

}  // namespace frx::derive::trace
