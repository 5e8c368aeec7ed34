#include "derive/trace/kernel_use.h"

#include <algorithm>

#include "derive/trace/activities.h"
#include "derive/trace/counts.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

enum class KernelWork : std::uint8_t { unjudged, collective, tensor_core, fp32_matrix, other_matrix, layout, other };

class KernelWorkOfNames {
 public:
  KernelWorkOfNames(const Timeline& timeline, const knowledge::KernelClasses& classes)
      : timeline_(timeline),
        classes_(classes),
        tensor_(classes.bit_of("tensor_core_matrix")),
        fp32_(classes.bit_of("fp32_matrix")),
        matrix_(classes.bit_of("matrix")),
        layout_(classes.bit_of("layout_conversion") | classes.bit_of("channel_padding") | classes.bit_of("strided_copy")),
        of_name_(timeline.names.size(), KernelWork::unjudged) {}

  KernelWork operator()(std::uint32_t event) {
    KernelWork& known = of_name_[timeline_.name[event]];
    if (known == KernelWork::unjudged) known = judged(timeline_.name_of(event));
    return known;
  }

 private:
  KernelWork judged(std::string_view name) const {
    if (is_communication(name)) return KernelWork::collective;
    const std::uint64_t of = classes_.of(name);
    if (of & layout_) return KernelWork::layout;
    if (of & tensor_) return KernelWork::tensor_core;
    if (of & fp32_) return KernelWork::fp32_matrix;
    return of & matrix_ ? KernelWork::other_matrix : KernelWork::other;
  }

  const Timeline& timeline_;
  const knowledge::KernelClasses& classes_;
  std::uint64_t tensor_, fp32_, matrix_, layout_;
  std::vector<KernelWork> of_name_;
};

// The kernels' rows are ascending in the file, and the work is in the order of time.
void add_occupancy(const Timeline& timeline, std::int64_t rank, KernelUse& use) {
  double weighted = 0;
  for (std::size_t i = 0; i < timeline.occupancy_events.size(); ++i) {
    const std::uint32_t row = timeline.occupancy_events[i];
    if (!is_of_rank(timeline, row, rank)) continue;
    use.occupancy_ns += timeline.duration[row];
    weighted += static_cast<double>(timeline.occupancy_pct[i]) * static_cast<double>(timeline.duration[row]);
  }
  if (use.occupancy_ns > 0) use.occupancy_pct = weighted / static_cast<double>(use.occupancy_ns);
}

}  // namespace

KernelUse kernel_use(const Timeline& timeline, const Attribution& attribution, const knowledge::KernelClasses& classes, std::int64_t rank) {
  KernelUse use;
  KernelWorkOfNames work_of(timeline, classes);
  for (const GpuWork& one : attribution.work) {
    if (timeline.kind[one.event] != EventKind::kernel || !is_of_rank(timeline, one.event, rank)) continue;
    const std::int64_t ns = timeline.duration[one.event];
    use.all_ns += ns;
    switch (work_of(one.event)) {
      case KernelWork::collective: use.collectives_ns += ns; break;
      case KernelWork::tensor_core: use.tensor_core_ns += ns; break;
      case KernelWork::fp32_matrix: use.fp32_matrix_ns += ns; break;
      case KernelWork::other_matrix: use.other_matrix_ns += ns; break;
      case KernelWork::layout: use.layout_ns += ns; break;
      case KernelWork::other:
      case KernelWork::unjudged: break;
    }
  }
  add_occupancy(timeline, rank, use);
  return use;
}

}  // namespace frx::derive::trace
