// A trace as tables of steps: the parts of the time of each step in the program and on each GPU (defined in model/gpu_time.h).
#pragma once

#include <vector>

#include "derive/trace/attribution.h"
#include "derive/trace/steps.h"
#include "model/step_table.h"
#include "model/timeline.h"

namespace frx::derive::trace {

// One table for each process, in the order of `steps`; with GpuSteps::drawn_gaps where figures are wanted. O(n log n) in the number of
// events.
std::vector<model::StepTable> break_down(const model::Timeline& timeline, const Attribution& attribution, const std::vector<Steps>& steps,
                                         bool with_figures = false);

}  // namespace frx::derive::trace
