// Series of run times whose changes are known: noise of several kinds, which need not be normal or independent, with drift.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace frx::testing {

enum class Innovation : std::uint8_t { normal, student, skewed, outliers };

struct NoiseModel {
  std::string name;
  double correlation = 0;  // of neighbouring values
  Innovation innovation = Innovation::normal;
  double drift = 0;  // of the logarithm, for each value
  double wave = 0;   // height of a wave of 400 values
};

// The kinds of docs/validation/history.md.
std::vector<NoiseModel> noise_models();

// `sigma`: standard deviation of the logarithm, without drift and wave. From value `step_at` on each is `step` times as large.
std::vector<double> series_of(const NoiseModel& model, double sigma, std::size_t count, std::uint64_t seed, std::size_t step_at = SIZE_MAX,
                              double step = 1);

struct Delay {
  double missed = 0;                   // share that was not found in `most` values
  double median = 0, nine_tenths = 0;  // values until it was found, of all series; `most` where it was not
};
// Of a step by `share` after `history` values, over `series` series.
Delay delay_of(const NoiseModel& model, double sigma, double share, std::size_t history, std::size_t most, std::size_t series);

// Alarms in 10,000 values without a change: `series` series of `count` values.
double alarms_per_10000(const NoiseModel& model, std::size_t count, std::size_t series);

}  // namespace frx::testing
