// What the profiled windows of a process of a layout trial recorded.
#pragma once

#include <cstddef>

#include "model/timeline.h"
#include "report/layout/layout_trial.h"

namespace frx::report {

// `windows`: that were profiled, 1 or more. O(events log collectives).
TrialTrace trial_trace_of(const model::Timeline& timeline, std::size_t windows);

}  // namespace frx::report
