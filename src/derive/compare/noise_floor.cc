#include "derive/compare/noise_floor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace frx::derive::compare {
namespace {

// Student's quantile of 99.5 % for 1, 2, ... degrees of freedom; larger numbers use the last one.
constexpr std::array student_995 = {63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169,
                                    3.106,  3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845};

}  // namespace

double BaselineSpread::share_less() const { return -std::expm1(-bound); }
double BaselineSpread::share_more() const { return std::expm1(bound); }

BaselineSpread spread_of(std::span<const double> times) {
  std::vector<double> logs;
  for (const double time : times) {
    if (time > 0 && std::isfinite(time)) logs.push_back(std::log(time));
  }
  BaselineSpread spread;
  spread.runs = logs.size();
  if (spread.runs < 2) return spread;
  const auto [least, most] = std::ranges::minmax(logs);
  const double n = static_cast<double>(logs.size());
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / n;
  double squares = 0;
  for (const double value : logs) squares += (value - mean) * (value - mean);
  spread.largest = std::expm1(most - least);
  const double bound = student_995[std::min(logs.size() - 2, student_995.size() - 1)] * std::sqrt(2 * squares / (n - 1));
  spread.bound = std::min(bound, BaselineSpread::most);
  return spread;
}

}  // namespace frx::derive::compare
