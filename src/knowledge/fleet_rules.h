// When a rank, a node or a link of many ranks is named: data/ranks/fleet.yaml.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "knowledge/library.h"

namespace frx::knowledge {

// From when on a difference counts: `noise_times` the spread, `least_ns` and `least_share`, whichever is most.
struct FleetThreshold {
  double noise_times = 0, least_ns = 0, least_share = 0;
};

struct FleetRules {
  FleetThreshold late, slow_link;
  double always_share = 0, node_share = 0;  // from 0 to 1
  std::size_t fewest_peers = 0, fewest_steps = 0;
  double chance = 0, step_by_chance = 0;  // probabilities
  double together_ns = 0, together_share = 0;

  // Errors name file and line.
  static Result<FleetRules> load(const Library& library);
};

}  // namespace frx::knowledge
