// Why a GPU was idle.
#pragma once

#include <vector>

#include "derive/trace/breakdown.h"
#include "derive/trace/host_ranges.h"

namespace frx::derive::trace {

// The idle stretches by cause; together they are `idle`. `work`: what ran on this GPU, by start.
std::array<Intervals, idle_cause_count> blame(const model::Timeline& timeline, Intervals idle, const std::vector<GpuWork>& work,
                                              const HostRanges& host);

}  // namespace frx::derive::trace
