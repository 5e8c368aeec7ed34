#include "model/gpu_time.h"

#include <algorithm>

namespace frx::model {

GpuTime& GpuTime::operator+=(const GpuTime& other) {
  span += other.span;
  compute += other.compute;
  communication += other.communication;
  copy += other.copy;
  host_to_device += other.host_to_device;
  all_communication += other.all_communication;
  all_host_to_device += other.all_host_to_device;
  idle += other.idle;
  for (std::size_t i = 0; i < idle_cause_count; ++i) idle_by[i] += other.idle_by[i];
  return *this;
}

IdleCause IdleGap::cause() const { return static_cast<IdleCause>(std::ranges::max_element(idle_by) - idle_by.begin()); }

GpuTime total_of(const GpuSteps& gpu, std::size_t skipped) {
  GpuTime sum;
  for (std::size_t i = skipped; i < gpu.steps.size(); ++i) sum += gpu.steps[i];
  return sum;
}

}  // namespace frx::model
