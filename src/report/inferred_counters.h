// Counters for the kernels of layers that were not measured, because another layer does the same work.
#pragma once

#include "report/kernel_counters.h"

namespace frx::report {

// The kernels of a duplicate in an iteration are aligned with those of the layer that stands for it. Counters are handed on where the
// durations of that kernel in all layers that do the same vary by a tenth of their mean at most (the standard deviation); otherwise a note
// says so. What was measured stays.
void infer_counters(const OperatorManifest& manifest, const LayerPartition& layers, JoinedCounters& joined);

}  // namespace frx::report
