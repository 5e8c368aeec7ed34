#include "derive/tune/run_times.h"

#include <algorithm>
#include <cmath>

namespace frx::derive::tune {
namespace {

// The autocorrelation of steps where it cannot be measured, and how many steps count as much as this assumption.
constexpr double usual_step_autocorrelation = 0.2, steps_that_outweigh_it = 10;
constexpr double highest_step_autocorrelation = 0.95;

// Equal times have no deviations, though their mean may be rounded.
constexpr double rounding = 1e-12;

}  // namespace

std::optional<RunTimes> run_times_of(std::span<const double> times) {
  const auto is_valid = [](double time) { return time > 0 && std::isfinite(time); };
  RunTimes run;
  double sum = 0;
  for (const double time : times) {
    if (!is_valid(time)) continue;
    sum += time;
    ++run.count;
  }
  if (run.count == 0) return std::nullopt;
  const double mean = sum / static_cast<double>(run.count);
  run.log_mean = std::log(mean);
  std::optional<double> before;
  for (const double time : times) {
    if (!is_valid(time)) continue;
    double deviation = time / mean - 1;
    if (std::abs(deviation) < rounding) deviation = 0;
    run.squares += deviation * deviation;
    if (before) run.lagged += deviation * *before;
    before = deviation;
  }
  return run;
}

Scatter scatter_of(std::span<const RunTimes> runs) {
  double squares = 0, lagged = 0, count = 0, degrees = 0;
  for (const RunTimes& run : runs) {
    squares += run.squares;
    lagged += run.lagged;
    count += static_cast<double>(run.count);
    degrees += static_cast<double>(run.count) - 1;
  }
  Scatter scatter;
  if (degrees < 1) return scatter;
  scatter.variance = squares / degrees;
  scatter.degrees = degrees;
  const double length = count / static_cast<double>(runs.size());
  const double seen = squares > 0 ? lagged / squares : 0;
  // Deviations from the mean of a short run are correlated negatively (Marriott and Pope's correction).
  const double corrected = seen + (1 + 4 * std::max(0.0, seen)) / length;
  const double drawn = (degrees * corrected + steps_that_outweigh_it * usual_step_autocorrelation) / (degrees + steps_that_outweigh_it);
  scatter.autocorrelation = std::clamp(drawn, 0.0, highest_step_autocorrelation);
  return scatter;
}

}  // namespace frx::derive::tune
