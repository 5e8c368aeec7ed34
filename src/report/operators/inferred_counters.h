// Counters for the kernels of layers that were not measured, because another layer does the same work.
#pragma once

#include <set>
#include <string>

#include "report/operators/kernel_counters.h"

namespace frx::report {

// Of the durations of kernels that do the same work: their standard deviation, as a share of their mean. Beyond it they did not.
inline constexpr double most_spread = 0.10;

// Kernels without a layer (no range of that kind was around them) get that of the module around them that the partition names: the ranges
// called "nn.Module: NAME". Returns the duplicates that were found so.
std::set<std::string> mark_layers_by_modules(OperatorManifest& manifest, const LayerPartition& layers);

// The kernels of a duplicate in an iteration are aligned with those of the layer that stands for it. Counters are handed on where the
// durations of that kernel in all layers that do the same vary by `most_spread` at most; otherwise a note says so. What was measured stays.
void infer_counters(const OperatorManifest& manifest, const LayerPartition& layers, JoinedCounters& joined);

}  // namespace frx::report
