// How many steps in which something was so are more than chance, and how far apart values are without a reason.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "derive/ranks/fleet.h"

namespace frx::derive::ranks {

// The probability of `hits` or more of `tries`, each with probability `p`, independent of each other.
double chance_of_hits(std::uint64_t hits, std::uint64_t tries, double p);

// Median, and median distance from it in units of a standard deviation. Of no values, zeros. `values` is reordered.
struct Middle {
  double median = 0, deviation = 0;
};
Middle middle_of(std::vector<double>& values);
double median_of(std::vector<double>& values);

// Steps in which something was so, of one rank or group.
class Hits {
 public:
  // `excess`: in ns beyond the middle; `ratio`: to it.
  void add(bool hit, double excess, double ratio);

  std::uint64_t steps() const { return steps_; }
  std::uint64_t hits() const { return hits_; }
  // Without saying whether it is more than chance.
  Record record() const;
  // The distance of hits in steps, where nearly all are at multiples of it.
  std::optional<std::uint64_t> period() const;

 private:
  std::uint64_t steps_ = 0, hits_ = 0;
  double excess_ = 0, ratio_ = 0;
  std::vector<std::uint64_t> bits_;  // by step
};

// Of many that are alike but for a few: how likely one counts in a step by chance, seen from those with fewest hits: nine
// tenths, half of a few.
double chance_of_a_step(const std::vector<const Hits*>& all, double least);

// always, sometimes, or none where chance explains it: all of them together may be wrong with a probability of rules.chance.
Habit habit_of(const Hits& hits, double chance_of_a_step, std::size_t all, const knowledge::FleetRules& rules);

// The fewest steps in which a rank that is late in each of them is named.
std::uint64_t steps_needed(double chance_of_a_step, std::size_t all, const knowledge::FleetRules& rules);

}  // namespace frx::derive::ranks
