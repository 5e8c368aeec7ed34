// The differences between recordings of one configuration, estimated from several of them.
//
// A run is a random sample: clocks, placement and temperature shift all of its steps together, which no test within one run can detect.
// With k runs of one program their times (by logarithm) scatter by s, and the difference of two runs of it by s * sqrt(2). Its bound at 99
// % confidence, when s is known from k runs only, is Student's quantile of k - 1 degrees of freedom times that: wide for two runs (64 times
// their distance), 14 s for three, 6.5 s for five.
#pragma once

#include <cstddef>
#include <span>

namespace frx::derive::compare {

struct BaselineSpread {
  std::size_t runs = 0;
  double largest = 0;  // slowest / fastest - 1
  double bound = 0;    // of the logarithm of the ratio of two such runs, at 99 % confidence; 0 with fewer than 2 runs

  static constexpr double most = 5;  // the limit of the bound, a factor of 148: runs with more are useless
  bool tells() const { return bound < most; }
  // The share of time below which a faster run is within the bound, and the one above which a slower run is outside of it.
  double share_less() const;
  double share_more() const;
};

// One time above 0 for each run, such as its median step; others are left out.
BaselineSpread spread_of(std::span<const double> times);

}  // namespace frx::derive::compare
