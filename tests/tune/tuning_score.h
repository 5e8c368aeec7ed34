// How well the search of frx tune does on simulated programs whose best configuration is known.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tune/workload.h"

namespace frx::testing::tune {

struct Tuning {
  std::vector<RunRequest> requests;
  std::size_t steps = 0;  // of all processes, with those that warm them up
  derive::tune::SearchResult result;
};
Tuning tune(const Workload& workload, const derive::tune::SearchRules& rules);

struct TuningCounts {
  std::size_t tunings = 0;
  std::size_t found = 0;                       // the best usable configuration or one within 2 %; or none, where none gains min_speedup
  std::size_t missed_gain = 0;                 // none was recommended, though one gains it
  std::size_t slower = 0;                      // what was recommended is slower than the baseline, or fails
  std::size_t in_budget = 0;                   // took no more launches than the documented flow, and found it
  std::size_t frugal = 0;                      // took no more launches than the documented flow
  std::size_t intervals = 0, held = 0;         // of full runs at the end; those that hold the truth
  double launches = 0, steps = 0, regret = 0;  // sums; regret: what the best has over what was recommended, relative
  std::vector<std::uint64_t> missed_in;        // seeds
  void add(const TuningCounts& other);
};

struct TuningScore {
  std::array<TuningCounts, workload_kinds + 1> adaptive, documented;  // by kind
  static TuningCounts all(const std::array<TuningCounts, workload_kinds + 1>& kinds);
};

TuningScore score_tunings(std::uint64_t first_seed, std::size_t tunings, const Noise& noise = {},
                          std::optional<WorkloadKind> only = std::nullopt);

}  // namespace frx::testing::tune
