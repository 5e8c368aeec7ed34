#include "report/time_parts.h"

namespace frx::report {

using derive::trace::GpuTime;
using derive::trace::IdleCause;

std::array<TimePart, 9> parts_of(const GpuTime& time) {
  const auto idle = [&](IdleCause cause) { return time.idle_by[static_cast<std::size_t>(cause)]; };
  return {{{"computing", time.compute},
           {"exposed communication", time.communication},
           {"exposed copies", time.copy},
           {"idle: data loader", idle(IdleCause::input)},
           {"idle: after a sync", idle(IdleCause::sync)},
           {"idle: allocator", idle(IdleCause::allocator)},
           {"idle: not launched", idle(IdleCause::host)},
           {"idle: launched", idle(IdleCause::device)},
           {"idle: unknown", idle(IdleCause::unknown)}}};
}

GpuTime time_after(const derive::trace::GpuTrack& gpu, std::size_t skipped) {
  GpuTime sum;
  for (std::size_t i = skipped; i < gpu.steps.size(); ++i) sum += gpu.steps[i];
  return sum;
}

}  // namespace frx::report
