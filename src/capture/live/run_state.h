// What is known of a run while it goes on: the latest samples of its GPUs, and its steps so far. What is not known is absent, never zero.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/gpu/gpu_sample.h"
#include "capture/step_tail.h"

namespace frx::capture {

// The times of steps that ended well, as a histogram.
struct StepTimes {
  static constexpr std::array<double, 11> bounds = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3,
                                                    1,     3,     10,   30,   100};  // seconds, upper ones, included
  std::array<std::uint64_t, bounds.size() + 1> counts{};                             // of each bucket alone
  std::uint64_t count = 0;
  double sum = 0;  // seconds

  void add(double seconds);
};

struct RunNames {
  std::string run_id, job_name, host;
  std::string version;  // of this program
};

// A moment of a run. Times are nanoseconds since 1970, UTC.
struct RunState {
  RunNames names;
  std::int64_t started_ns = 0;
  std::int64_t now_ns = 0;
  std::optional<std::int64_t> ended_ns;
  std::optional<int> exit_code;  // once it has ended
  std::vector<GpuSample> gpus;   // the latest samples; none where the latest are old, and once the run has ended
  std::uint64_t gpu_rounds = 0;  // of samples
  // Steps that ended, by kind (train, eval, inference, other) and status (ok, error, cancelled, unknown).
  std::map<std::pair<std::string, std::string>, std::uint64_t> steps;
  std::map<std::string, StepTimes> step_times;  // by kind
};

// Follows the events of the SDK into `state`, which goes on counting where the file is replaced.
void follow_steps(StepTail& tail, RunState& state);

// A number about each GPU, by the names of Prometheus and of OpenTelemetry.
struct GpuFigure {
  const char *prometheus, *help, *otlp, *unit;          // "By": a sum of whole bytes for OpenTelemetry
  std::optional<double> (*read)(const GpuSample& gpu);  // in base units
  bool are_bytes() const { return std::string_view(unit) == "By"; }
};
std::span<const GpuFigure> gpu_figures();

// Of the clock of the system.
std::int64_t unix_now_ns();

}  // namespace frx::capture
