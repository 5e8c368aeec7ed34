#include "derive/steps/parts.h"

#include <algorithm>

namespace frx::derive::steps {

using model::HostTime;
using model::IdleCause;
using model::RunFact;
using model::StepTable;

namespace {

std::optional<std::int64_t> part_of_gpu(const StepTable& table, const model::GpuTime& time, RunFact fraction) {
  switch (fraction) {
    // The idle time of the loader is unknown where the loader was not recorded.
    case RunFact::input_fraction:
      return table.recorded(HostTime::loader) ? std::optional(time.idle_because(IdleCause::input)) : std::nullopt;
    case RunFact::sync_fraction: return time.idle_because(IdleCause::sync);
    case RunFact::allocator_fraction: return time.idle_because(IdleCause::allocator);
    case RunFact::first_use_fraction: return time.idle_because(IdleCause::first_use);
    case RunFact::host_fraction: return time.idle_because(IdleCause::host);
    case RunFact::device_fraction: return time.idle_because(IdleCause::device);
    case RunFact::unknown_fraction: return time.idle_because(IdleCause::unknown);
    case RunFact::copy_fraction: return time.host_to_device;
    case RunFact::communication_fraction: return time.communication;
    case RunFact::compute_fraction: return time.compute;
    case RunFact::gpu_busy_fraction: return time.busy();
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<std::int64_t> part_of(const StepTable& table, const model::GpuSteps* gpu, RunFact fraction, std::size_t step) {
  if (fraction == RunFact::input_wait_fraction) return table.loader_wait_ns(step);
  if (gpu) return part_of_gpu(table, gpu->usual_time(step), fraction);
  if (fraction == RunFact::input_fraction) return table.loader_wait_ns(step);
  if (fraction == RunFact::copy_fraction) return table.time(HostTime::host_to_device, step);
  // The waits in a trace without kernels are not used.
  if (fraction == RunFact::sync_fraction && table.source == model::StepSource::program) return table.time(HostTime::sync, step);
  return std::nullopt;
}

double share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0);
}

std::optional<double> gpu_active(const StepTable& table, std::size_t step) {
  if (!table.gpus.empty()) return share(table.gpus.front().steps[step].busy(), table.wall_ns(step));
  const std::int64_t phases = table.phases_ns(step);
  return phases > 0 ? std::optional(share(phases, table.wall_ns(step))) : std::nullopt;
}

}  // namespace frx::derive::steps
