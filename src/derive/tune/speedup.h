// How much faster one configuration is than another, as an interval that holds at every moment at which one may want to stop (a confidence
// sequence), so that looking after every step and stopping as soon as the answer is clear does not make wrong answers more frequent.
//
// The estimate is the ratio of the mean times, which is that of the throughputs. Its interval combines two errors:
//
//   within runs   the ratios that a Bayes factor t-test (right-Haar prior of the scale, normal prior of the effect) does not reject at
//                 1 - confidence. Its reciprocal is a nonnegative martingale where there is no difference, so that it exceeds 20 at any
//                 time in at most one of 20 comparisons (Ville; Hendriksen, de Heide and Gruenwald 2021). Steps that are correlated with
//                 their neighbours count as fewer.
//   between runs  runs of one program differ by `run_noise`, or by more where two or more runs of a side show more.
//
// Assumptions: relative deviations of steps scatter alike over one run and have finite variance; their autocorrelation dies out within some
// steps; what shifts a whole run is independent of what shifts the next. A drift over several runs is not part of the interval: it has to
// cancel by the order in which the sides are run, or to be taken out of the times before. The guarantee of the test is exact for Gaussian
// deviations; for others it is held by simulation (docs/validation/tune.md).
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
