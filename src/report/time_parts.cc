#include "report/time_parts.h"

namespace frx::report {

using model::GpuTime;
using model::IdleCause;

std::array<TimePart, 9> parts_of(const GpuTime& time) {
  return {{{"computing", time.compute},
           {"exposed communication", time.communication},
           {"exposed copies", time.copy},
           {"idle: data loader", time.idle_because(IdleCause::input)},
           {"idle: after a sync", time.idle_because(IdleCause::sync)},
           {"idle: allocator", time.idle_because(IdleCause::allocator)},
           {"idle: not launched", time.idle_because(IdleCause::host)},
           {"idle: launched", time.idle_because(IdleCause::device)},
           {"idle: unknown", time.idle_because(IdleCause::unknown)}}};
}

}  // namespace frx::report
