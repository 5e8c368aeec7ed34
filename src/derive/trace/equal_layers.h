// Modules of a model that do the same work: of those beside each other in one module, the ones inside of which the same operators ran, on
// inputs of the same shapes, and launched the same kernels in the same shapes.
//
// One of them, measured, stands for the others. Modules are ranges of the program called "nn.Module: NAME"; what they launch in the
// backward pass is not inside of them and does not count.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "derive/trace/operator_calls.h"
#include "model/timeline.h"

namespace frx::derive::trace {

struct EqualLayers {
  std::string_view unique;                   // the first to run; its name stands in the timeline
  std::vector<std::string_view> duplicates;  // in the order in which they ran
  std::uint64_t kernels = 0;                 // of each of them, all iterations together
  std::int64_t unique_ns = 0, all_ns = 0;    // GPU time of the first, and of all
  double spread = 0;                         // standard deviation of their GPU times, as a share of the mean
};

struct LayerDivision {
  std::vector<EqualLayers> groups;  // outermost modules only, in the order in which they ran
  std::uint64_t kernels = 0;        // of the measured window, or of all
  std::uint64_t kernels_left_out = 0;
};

// O(n log n) in the number of ranges and kernels.
LayerDivision equal_layers(const model::Timeline& timeline, const OperatorCalls& calls);

}  // namespace frx::derive::trace
