#include "derive/tune/run_times.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace frx::derive::tune {
namespace {

// The autocorrelation of steps where it cannot be measured, and how many steps count as much as this assumption.
constexpr double usual_step_autocorrelation = 0.2, steps_that_outweigh_it = 10;
constexpr double highest_step_autocorrelation = 0.95;

// Equal times have no deviations, though their mean may be rounded.
constexpr double rounding = 1e-12;

// The variance of blocks of independent steps, times their length, is below this share of that of the steps in one of 25 cases with four
// blocks, and in one of 3,000 with ten.
constexpr double share_of_bursts = 0.1;
constexpr std::size_t fewest_blocks = 4;

// Means of so many times in a row; what does not fill a block at the end is left out.
std::vector<double> blocks_of(std::span<const double> times, std::size_t length) {
  std::vector<double> blocks;
  for (std::size_t begin = 0; begin + length <= times.size(); begin += length) {
    const auto first = times.begin() + static_cast<std::ptrdiff_t>(begin);
    blocks.push_back(std::accumulate(first, first + static_cast<std::ptrdiff_t>(length), 0.0) / static_cast<double>(length));
  }
  return blocks;
}

double variance_of_blocks(std::span<const double> times, std::size_t length) {
  const std::vector<double> blocks = blocks_of(times, length);
  if (blocks.size() < 2) return 0;
  const double count = static_cast<double>(blocks.size()), mean = std::accumulate(blocks.begin(), blocks.end(), 0.0) / count;
  double squares = 0;
  for (const double block : blocks) squares += (block - mean) * (block - mean);
  return squares / (count - 1);
}

}  // namespace

std::size_t burst_length(std::span<const double> times) {
  const double single = variance_of_blocks(times, 1);
  for (std::size_t length = 2; length * fewest_blocks <= times.size(); ++length) {
    if (static_cast<double>(length) * variance_of_blocks(times, length) < share_of_bursts * single) return length;
  }
  return 1;
}

std::optional<RunTimes> run_times_of(std::span<const double> times) {
  std::vector<double> valid;
  for (const double time : times) {
    if (time > 0 && std::isfinite(time)) valid.push_back(time);
  }
  if (valid.empty()) return std::nullopt;
  const double mean = std::accumulate(valid.begin(), valid.end(), 0.0) / static_cast<double>(valid.size());
  const std::vector<double> values = blocks_of(valid, burst_length(valid));
  RunTimes run;
  run.log_mean = std::log(mean);
  run.count = values.size();
  std::optional<double> before;
  for (const double value : values) {
    double deviation = value / mean - 1;
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
