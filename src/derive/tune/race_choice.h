// Which configuration is tried next.
#pragma once

#include <optional>

#include "derive/tune/history.h"

namespace frx::derive::tune {

struct Proposal {
  std::size_t configuration = 0;
  double improvement = 0;     // expected, of the logarithm of throughput over the best so far
  double chance_to_lead = 0;  // the probability that it is faster than that
};

// First some documented ones of each family, whose improvement is infinite; then the one of which the model expects most. nullopt: none
// promises enough.
std::optional<Proposal> next_to_try(const History& history);

}  // namespace frx::derive::tune
