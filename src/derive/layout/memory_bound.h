// Which kernels are limited by memory, and which of them use it badly: bytes of the traffic model over the time that was recorded, against
// the peak of the GPU.
//
// - saturated: at least 70 % of the peak bandwidth; nothing is left but to move less.
// - inefficient, the finding: fewer operations per byte than the GPU needs to be limited by them, under 40 % of the peak, for at least 10
// us.
// - moderate: between the two.
// - latency: so short that the launch counts more than the bytes, or with fewer blocks than the GPU has SMs.
// - compute: more operations per byte than that.
// - cached: all that it touches fits in the L2 cache; the peak of the memory says nothing about it.
// - unassessed: its bytes, its operations or the peaks are not known.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "derive/layout/candidate.h"
#include "derive/layout/traffic.h"

namespace frx::derive::layout {

// What is known of the GPU. Without the bandwidth nothing is assessed; without the L2 cache or the operations, those classes are not.
struct GpuPeaks {
  std::optional<double> bandwidth_bytes_per_s, l2_bytes;
  std::optional<double> fp32_flops, tensor16_flops, tf32_flops;  // per second
  std::optional<double> sms;
};

struct MemoryBoundLimits {
  double saturated_share = 0.70, inefficient_share = 0.40;
  double reachable_share = 0.70;  // of the peak: what a well laid out kernel gets
  double shortest_ns = 10'000;    // of a finding
  double latency_ns = 5'000;
  double confidence = 0.8;
  double unaligned_confidence = 0.6;
  double unexplained_confidence = 0.4;  // where no input shows a cause
};

enum class BoundClass : std::uint8_t { saturated, inefficient, moderate, latency, compute, cached, unassessed };
inline constexpr std::size_t bound_classes = 7;
std::string_view name_of(BoundClass bound);

struct BoundCount {
  double kernels = 0, time_ns = 0;  // per step
};

struct MemoryBoundKernels {
  // Detector "memory_bound", by operator, inputs and kernel, by falling time. Patterns, the first that fits:
  //   "relayout"     it copies into another order
  //   "strided"      neighbours of an input lie apart in the order in which it is read
  //   "gapped"       an input is a slice whose rows are short
  //   "unaligned"    rows of a product, softmax or norm do not begin at multiples of 16 bytes
  //   "small"        at the reachable bandwidth it would be shorter than the shortest finding
  //   "unexplained"  nothing of these: its inputs are laid out well, or their strides were not recorded
  // Facts: achieved_share_pct, intensity and ridge (operations per byte). Words: kernel, sizes. The saving is the time that the reachable
  // bandwidth would leave, at best; `removed_work` is the work that would be faster.
  std::vector<Candidate> found;
  std::array<BoundCount, bound_classes> classes;  // by BoundClass
};

// Kernels of steady steps, collectives aside. Linear in the work, n log n in different kernels.
MemoryBoundKernels memory_bound(const LayoutTrace& trace, const WorkTraffic& traffic, const GpuPeaks& peaks,
                                const MemoryBoundLimits& limits = {});

}  // namespace frx::derive::layout
