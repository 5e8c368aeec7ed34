// How much two recordings of one configuration differ, by several of them.
//
// A run is a draw: clocks, placement and temperature move all of its steps together, which no test within one run can see. With k runs of
// one program their times (by logarithm) scatter by s, and the difference of two runs of it by s * sqrt(2). What it stays below at 99 %
// confidence, when s is known from k runs only, is Student's quantile of k - 1 degrees of freedom times that: wide for two runs (64 times
// their distance), 14 s for three, 6.5 s for five.
#pragma once

#include <cstddef>
#include <span>

namespace frx::derive::compare {

struct BaselineSpread {
  std::size_t runs = 0;
  double largest = 0;  // slowest / fastest - 1
  double bound = 0;    // of the logarithm of the ratio of two such runs, at 99 % confidence; 0 with fewer than 2 runs

  static constexpr double most = 5;  // where the bound ends, a factor of 148: the runs tell nothing
  bool tells() const { return bound < most; }
  // The share of time below which a run that takes less is within it, and above which one that takes more.
  double share_less() const;
  double share_more() const;
};

// One time above 0 for each run, such as its median step; others are left out.
BaselineSpread spread_of(std::span<const double> times);

}  // namespace frx::derive::compare
