// Detector "channels_last": convolutions on NCHW tensors where the GPU has native NHWC kernels.
#pragma once

#include <optional>
#include <vector>

#include "derive/layout/candidate.h"
#include "derive/layout/copies.h"
#include "derive/layout/memory_bound.h"
#include "model/session.h"

namespace frx::derive::layout {

// What decides whether NHWC kernels exist, and how fast they could be: from the header of the trace or the user; absent: not known.
struct ConvolutionGpu {
  std::optional<model::ComputeCapability> cc;
  GpuPeaks peaks = {};
};

struct ConvolutionCounts {  // per step
  double all = 0, channels_last = 0, eligible = 0, depthwise = 0, few_channels = 0, double_precision = 0;
  double small = 0;  // of one image, and short
};

// Patterns, one finding each at most, for the model as a whole:
//   "measured"     grade A: kernels that do nothing but convert layouts run under the convolutions; their time is saved
//   "by_kernels"   grade B: kernels with NCHW names, or FP32 kernels past the tensor cores; saved is anything from nothing to what their
//                  time exceeds that of the roofline by: the operations at the peak of the tensor cores, or each byte once. No number where
//                  that is not known of one of the convolutions
//   "by_shapes"    grade C: shapes alone; no number
//   "layout_loss"  an operator turns a channels-last tensor into NCHW before the next consumer, while others are channels-last
//   "padding"      kernels that fill up channels
// Nothing where no convolution is eligible. `counts` tells why.
struct ChannelsLast {
  std::vector<Candidate> found;
  ConvolutionCounts counts;
  std::string not_assessed;  // "": it was
};
ChannelsLast channels_last(const LayoutTrace& trace, std::span<const Copy> copies, const ConvolutionGpu& gpu);

}  // namespace frx::derive::layout
