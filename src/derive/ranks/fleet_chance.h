// How many steps in which something was so are more than chance, and how far apart values are without a reason.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "derive/ranks/fleet.h"

namespace frx::derive::ranks {

// The probability of `hits` or more of `tries`, each with probability `p`, independent of each other.
double chance_of_hits(std::uint64_t hits, std::uint64_t tries, double p);

// Upper median, and upper median distance from it in units of a standard deviation. Of no values, zeros. `values` is reordered.
struct Middle {
  double median = 0, deviation = 0;
};
Middle middle_of(std::vector<double>& values);

// Steps in which something was so, of one rank or group.
class Hits {
 public:
  Hits() = default;
  // Of steps that were counted elsewhere. `excess` and `ratio` are sums; `at`: which steps they were, from 0 on, as far as that is known.
  Hits(std::uint64_t steps, std::uint64_t hits, double excess, double ratio, std::span<const std::uint64_t> at);
  // `excess`: in ns beyond the middle; `ratio`: to it.
  void add(bool hit, double excess, double ratio);

  std::uint64_t steps() const { return steps_; }
  std::uint64_t hits() const { return hits_; }
  // Without saying whether it is more than chance.
  Record record() const;
  // The distance of hits in steps, where nearly all are at multiples of it.
  std::optional<std::uint64_t> period() const;

 private:
  void remember(std::uint64_t step);

  std::uint64_t steps_ = 0, hits_ = 0;
  double excess_ = 0, ratio_ = 0;
  std::vector<std::uint64_t> bits_;  // by step
};

// The same by two limits: one that a step has to reach alone, and half of it for what is so in nearly every step.
class Evidence {
 public:
  Evidence() = default;
  Evidence(Hits clear, Hits leaning) : clear_(std::move(clear)), leaning_(std::move(leaning)) {}
  // `usual`: of those without a reason, which differ from each other by noise; `limit`: of what is more; `least`: below it nothing counts.
  void add(double excess, double usual, double limit, double least, double ratio = 0) {
    clear_.add(excess > std::max(usual + limit, least), excess, ratio);
    leaning_.add(excess > std::max(usual + limit / 2, least), excess, ratio);
  }
  const Hits& clear() const { return clear_; }
  const Hits& leaning() const { return leaning_; }

 private:
  Hits clear_, leaning_;
};

// What the evidence of each of many says, all of them together wrongly with a probability of rules.chance.
class Verdicts {
 public:
  Verdicts(const std::vector<const Evidence*>& all, const knowledge::FleetRules& rules);
  Record of(const Evidence& one) const;
  // In which a rank that is late in each of them is named.
  std::uint64_t steps_needed() const;

 private:
  std::size_t all_;
  const knowledge::FleetRules& rules_;
  double clear_by_chance_, leaning_by_chance_;
};

// Of many that are alike but for a few: how likely one counts in a step by chance, seen from those with fewest hits: nine
// tenths, half of a few.
double chance_of_a_step(const std::vector<const Hits*>& all, double least);

}  // namespace frx::derive::ranks
