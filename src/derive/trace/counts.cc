#include "derive/trace/counts.h"

namespace frx::derive::trace {

using model::EventKind;

TraceCounts counts_of(const model::Timeline& timeline, const Attribution& attribution, const BackwardWork& backward, std::int64_t rank) {
  TraceCounts counts;
  for (std::size_t row = 0; row < timeline.size(); ++row) {
    if (!is_of_rank(timeline, row, rank)) continue;
    const EventKind kind = timeline.kind[row];
    ++counts.events;
    counts.copies += kind == EventKind::memcpy;
    counts.calls += kind == EventKind::runtime || kind == EventKind::driver;
    counts.operators += kind == EventKind::cpu_op;
    counts.foreign_events += kind == EventKind::foreign;
  }
  for (std::size_t i = 0; i < attribution.work.size(); ++i) {
    const GpuWork& one = attribution.work[i];
    if (timeline.kind[one.event] != EventKind::kernel || !is_of_rank(timeline, one.event, rank)) continue;
    ++counts.kernels;
    counts.kernels_with_launch += one.launch != none;
    counts.kernels_with_op += one.op != none;
    counts.backward_kernels += backward.is_backward[i];
    counts.backward_kernels_joined += backward.forward[i] != none;
  }
  return counts;
}

}  // namespace frx::derive::trace
