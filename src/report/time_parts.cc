#include "report/time_parts.h"

#include <algorithm>

namespace frx::report {

using model::GpuTime;
using model::IdleCause;

std::array<TimePart, 10> parts_of(const GpuTime& time) {
  return {{{"computing", time.compute},
           {"exposed communication", time.communication},
           {"exposed copies", time.copy},
           {"idle: data loader", time.idle_because(IdleCause::input)},
           {"idle: after a sync", time.idle_because(IdleCause::sync)},
           {"idle: allocator", time.idle_because(IdleCause::allocator)},
           {"idle: first use", time.idle_because(IdleCause::first_use)},
           {"idle: not launched", time.idle_because(IdleCause::host)},
           {"idle: launched", time.idle_because(IdleCause::device)},
           {"idle: unknown", time.idle_because(IdleCause::unknown)}}};
}

std::vector<const model::IdleGap*> longest_gaps(const model::GpuSteps& gpu) {
  constexpr std::size_t most = 5;
  std::vector<const model::IdleGap*> gaps;
  for (const model::IdleGap& gap : gpu.gaps) gaps.push_back(&gap);
  std::ranges::stable_sort(gaps, [](const model::IdleGap* a, const model::IdleGap* b) { return a->length() > b->length(); });
  gaps.resize(std::min(most, gaps.size()));
  return gaps;
}

}  // namespace frx::report
