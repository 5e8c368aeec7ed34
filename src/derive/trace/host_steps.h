// The steps of a process, as recorded on the CPU.
#pragma once

#include "derive/trace/attribution.h"
#include "derive/trace/host_ranges.h"
#include "derive/trace/steps.h"
#include "model/step_table.h"

namespace frx::derive::trace {

// Numbers, times and kernels of the steps. O(n log n) in the number of pieces of GPU work.
void add_host_columns(const model::Timeline& timeline, const Attribution& attribution, const Steps& steps, const HostRanges& host,
                      model::StepTable& table);

}  // namespace frx::derive::trace
