// The steps of a process and where the time of each went, as columns: one row per step, times in nanoseconds.
//
// The event stream of the SDK, a summary of one and a trace of the profiler fill the same table. A column that was not recorded
// is empty, and what it would say is unknown, not zero.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/gpu_time.h"

namespace frx::model {

// Who says where steps begin and end.
enum class StepSource : std::uint8_t {
  program,     // the program itself, by events of the SDK
  profiler,    // ProfilerStep#N
  annotation,  // a range of the program that repeats
  module,      // the outermost module that is called again and again
  recording,   // no source of steps: nothing repeats, and the whole recording counts as one step
};
std::string_view name_of(StepSource source);

// Where the time of a step went, as seen from the CPU. The parts may overlap.
enum class HostTime : std::uint8_t {
  wall,            // from begin to end
  loader,          // waiting for the data loader within the step
  loader_before,   // waiting for it before the step began, which is not part of `wall`
  host_to_device,  // copies to the GPU, hidden or not; to the first one where there are several
  sync,            // waiting for the GPU
  forward,
  backward,
  optimizer,
};
inline constexpr std::size_t host_time_count = 8;

// One value of each step, which single steps may lack; empty when it was not recorded at all.
template <typename Value>
class StepColumn {
 public:
  bool recorded() const { return !values_.empty(); }
  std::optional<Value> operator[](std::size_t step) const { return step < values_.size() ? values_[step] : std::nullopt; }
  void set(std::size_t step, std::optional<Value> value) {
    if (!value) return;
    if (values_.size() <= step) values_.resize(step + 1);
    values_[step] = std::move(value);
  }

 private:
  std::vector<std::optional<Value>> values_;  // those at the end may be missing
};

// Whether a step has other shapes of inputs than the one before it, and than the one before that. None: it cannot be told.
struct StepShapes {
  std::uint32_t calls = 0;  // of a trace: calls of operators with shapes
  std::optional<bool> changed, changed_from_second;
};

// How the first call of a step differs from that of the step before. Texts as the file has them; "" when they are too long.
struct ShapeChange {
  std::int64_t from_step = 0, to_step = 0;
  std::string operation, before, after;
};

// The value of a step, under the number that the recording gives it.
struct StepValue {
  std::int64_t step = 0;
  double value = 0;
};

struct StepTable {
  StepSource source = StepSource::program;
  std::string name;  // of the range or module that is a step
  std::string pid;   // of the process they belong to; "" when it does not matter

  std::vector<std::int64_t> ids;  // numbers of the steps
  // Where the program runs ahead of the GPU: the time of each step in the program. `wall` is then until the GPU has done it.
  std::vector<std::int64_t> program_ns;
  std::array<std::vector<std::int64_t>, host_time_count> host_ns;
  std::vector<std::string> status;            // ok, error, cancelled; unknown: it never ended. Empty: all ended well
  std::vector<std::string> kind;              // train, eval, inference; "" when not said
  StepColumn<std::int64_t> begin_ns, end_ns;  // of the monotonic clock of the machine
  StepColumn<std::string> shape;              // of the batch: "input:[8, 128]|..."
  StepColumn<std::int64_t> batch_size, sequence_length;
  StepColumn<std::uint32_t> windows;                   // recordings of kernels that ended in the step
  StepColumn<double> kernels;                          // launched in the step
  StepColumn<double> median_kernel_ns, small_kernels;  // small: share of the kernels, those below 10 us
  StepColumn<double> loss;
  std::vector<StepShapes> shapes;  // empty when none were recorded
  std::optional<ShapeChange> last_shape_change;
  std::vector<GpuSteps> gpus;  // by device, those on which the process launched work; empty when no GPU was recorded

  std::size_t size() const { return ids.size(); }
  bool has_boundaries() const { return source != StepSource::recording; }
  bool recorded(HostTime part) const { return !host_ns[static_cast<std::size_t>(part)].empty(); }
  std::optional<std::int64_t> time(HostTime part, std::size_t step) const;
  std::int64_t wall_ns(std::size_t step) const { return host_ns[static_cast<std::size_t>(HostTime::wall)][step]; }
  // Waiting for the data loader, before the step began included.
  std::optional<std::int64_t> loader_wait_ns(std::size_t step) const;
  // From when the loader was asked to the end of the step.
  std::int64_t total_ns(std::size_t step) const { return wall_ns(step) + time(HostTime::loader_before, step).value_or(0); }
  // Forward, backward and optimizer together; 0 where none of them was recorded.
  std::int64_t phases_ns(std::size_t step) const;
  bool completed(std::size_t step) const { return status.empty() || (status[step] == "ok" && wall_ns(step) > 0); }
  std::optional<bool> shape_changed(std::size_t step) const { return shapes.empty() ? std::nullopt : shapes[step].changed; }
};

}  // namespace frx::model
