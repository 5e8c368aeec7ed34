// A training program that is simulated: what frx tune may try on it, how fast it truly is with each of that, and what a run of it measures.
//
// A step waits for its batch, copies it, and computes: workers help until their plateau and harm beyond the cores, pinned memory lets
// copies overlap where there are workers, launches cost the same for every batch, half precision shortens matrix products, larger batches
// need memory. So a change helps only where it meets the bottleneck, and the best configuration is often a combination.
//
// Measurements have what real ones have: steps scatter by 5 % with the tails of Student's t of 3 degrees of freedom, neighbours are
// correlated, whole runs are shifted, and the machine drifts while the tuning goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/tune/search.h"

namespace frx::testing::tune {

using derive::tune::Configuration;
using derive::tune::RunOutcome;
using derive::tune::RunRequest;
using derive::tune::Settings;

enum class WorkloadKind : std::uint8_t { loader, copy, mixed, underutilized, memory, launch, flat, rugged, wide };
// All but the last: `wide` has more combinations with random effects than any budget can learn, and is counted apart.
inline constexpr std::size_t workload_kinds = 8;
std::string_view name_of(WorkloadKind kind);

struct Noise {
  double step = 0.05;                              // standard deviation of a step, relative
  double degrees = 3;                              // of freedom of Student's t; 0: Gaussian
  double autocorrelation = 0.3;                    // of neighbouring steps
  double lowest_run = 0.005, highest_run = 0.010;  // standard deviation of the shift of a run, drawn from between them
  double drift = 0.05;                             // the largest change of the machine over a tuning, either way
};

struct Truth {
  double speed = 1;  // throughput in samples over that of the baseline
  bool is_usable = true, runs_out_of_memory = false;
  double memory_ratio = 0;
};

class Workload {
 public:
  // The same for the same seed. Kinds take turns.
  Workload(std::uint64_t seed, const Noise& noise, std::optional<WorkloadKind> only = std::nullopt);

  WorkloadKind kind = WorkloadKind::loader;
  std::vector<Configuration> pool;
  std::vector<std::string> labels;
  std::vector<Truth> truths;  // of the pool

  double best_speed() const;  // of usable configurations and the baseline
  // A process: `launch` counts all of the tuning, from 0. As many times as steps were asked for, or none where it is not usable.
  RunOutcome run(std::optional<std::size_t> configuration, std::size_t launch, std::size_t steps) const;

 private:
  std::uint64_t seed_;
  Noise noise_;
  double run_shift_ = 0, drift_ = 0;
  std::optional<std::size_t> drift_step_;  // the launch at which the machine changes at once; nullopt: it does so steadily
  double baseline_memory_ = 0.5;
};

}  // namespace frx::testing::tune
