// How much faster one configuration is than another, as an interval that holds at every moment at which one may want to stop (a confidence
// sequence), so that looking after every step and stopping as soon as the answer is clear does not make wrong answers more frequent.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace frx::derive::tune {

// Throughput of the second side over that of the first, less 1: 0.08 is 8 % faster.
struct Speedup {
  double value = 0;
  double low = 0, high = 0;  // with the stated confidence at every number of values; -1 and infinity where there are too few
  std::size_t first = 0, second = 0;
};

struct SpeedupRules {
  double confidence = 0.95;
  double run_noise = 0.01;  // relative: by how much whole runs of one program differ, which values within one run do not show
};

// `first`, `second`: times of each run of the side, one inner vector a run, in the order in which they were taken; above 0.
Speedup speedup_of(std::span<const std::vector<double>> first, std::span<const std::vector<double>> second, const SpeedupRules& rules);

}  // namespace frx::derive::tune
