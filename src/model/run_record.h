// What was recorded of a run of steps by the program itself (the SDK) and by a sampler of the GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/session.h"

namespace frx::model {

struct RunStep {
  std::int64_t id = 0;
  std::string status = "unknown";  // ok, error, cancelled; unknown: it never ended
  std::string kind;                // train, eval, inference; "" when not said
  std::int64_t wall_ns = 0;
  std::optional<std::int64_t> begin_ns, end_ns;  // of the monotonic clock of the machine
  // Nanoseconds. The wait for the loader that came before the step began is not part of its duration.
  std::int64_t loader_ns = 0, loader_before_ns = 0, host_to_device_ns = 0, sync_ns = 0;
  std::int64_t forward_ns = 0, backward_ns = 0, optimizer_ns = 0;
  std::optional<std::string> shape;  // of the batch: "input:[8, 128]|..."
  bool shape_changed = false;        // since the step before it that has one
  std::optional<std::int64_t> batch_size, sequence_length;
  std::uint32_t windows = 0;  // recordings of kernels that ended in it
  std::optional<double> kernels, median_kernel_us, small_kernel_fraction, loss;
  std::optional<double> gpu_active;  // share of the step in which a GPU was seen to be busy

  bool completed() const { return status == "ok" && wall_ns > 0; }
  // From when the loader was asked to the end of the step.
  std::int64_t total_ns() const { return wall_ns + loader_before_ns; }
};

struct GpuSample {
  std::int32_t index = 0;
  std::optional<std::int64_t> time_ns;  // of the same clock as the steps
  std::optional<double> utilization_pct, memory_utilization_pct;
  std::optional<double> memory_used, memory_total;  // bytes
};

struct RunRecord {
  std::vector<RunStep> steps;      // by id
  std::vector<GpuSample> samples;  // in the order of time
  std::uint64_t events = 0;
  std::uint64_t unreadable_lines = 0;
  std::uint64_t restarts = 0;  // how often the program began to count its steps anew
  // Was anything of this kind recorded at all? What was not is unknown, not zero.
  bool has_loader = false, has_copies = false, has_waits = false;
  std::vector<Note> notes;
};

}  // namespace frx::model
