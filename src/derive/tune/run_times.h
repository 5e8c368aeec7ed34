// The times of one run as what statistics needs of them.
//
// Throughput is the reciprocal of the arithmetic mean of the times, so that is what runs are compared by: a geometric mean or a median
// would call a program faster that has made most steps shorter and every eighth step, which waits for a worker, longer. Deviations are
// relative to the mean of their run.
//
// Several workers deliver their batches in bursts: a step that waits for all of them is followed by some that wait for none. Single steps
// then scatter widely though the run is steady; such runs are taken in blocks of steps, each of which is one value.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace frx::derive::tune {

struct RunTimes {
  double log_mean = 0;    // of milliseconds, of all steps
  std::size_t count = 0;  // of values: steps, or blocks of them
  double squares = 0;     // of the relative deviations, summed
  double lagged = 0;      // products of the relative deviations of neighbours, summed
};

// Steps of a block: 1 unless blocks of so many steps scatter by far less than independent steps would. At least four blocks are left.
std::size_t burst_length(std::span<const double> times);

// Times that are not above 0, or not finite, are left out. nullopt: none is left.
std::optional<RunTimes> run_times_of(std::span<const double> times);

// What is common to several runs.
struct Scatter {
  double variance = 0;         // of a relative deviation
  double degrees = 0;          // of freedom that the variance has
  double autocorrelation = 0;  // of neighbours, at least 0: seen, drawn to a usual value as far as there are few steps
  // By how much the variance of a mean exceeds that of as many independent values.
  double inflation() const { return (1 + autocorrelation) / (1 - autocorrelation); }
};
Scatter scatter_of(std::span<const RunTimes> runs);

}  // namespace frx::derive::tune
