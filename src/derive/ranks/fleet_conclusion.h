// What step after step shows of ranks and groups, and what is concluded from it: late ranks and nodes, slow links. The steps may have been
// counted by fleet_of(), or by a store in which the collectives lie (history/compared_ranks.h).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "derive/ranks/fleet.h"
#include "derive/ranks/fleet_chance.h"

namespace frx::derive::ranks {

struct RankEvidence {
  Evidence late;
  double waited_ns = 0;  // of all its steps
};

struct GroupEvidence {
  std::vector<std::uint32_t> ranks;  // indices, ascending
  Evidence slow;                     // of the steps in which there were enough groups to compare with
  double transfer_ns = 0;            // of all its steps
  std::uint64_t steps = 0, collectives = 0;
};

struct FleetEvidence {
  std::vector<RankEvidence> ranks;                // by rank
  std::map<std::uint32_t, GroupEvidence> groups;  // by group
};

// Fills in what `fleet` says of ranks, nodes, groups, links and roles, of how many steps are needed, and of the time of a step.
void conclude(const FleetEvidence& evidence, const std::vector<FleetRank>& ranks, const knowledge::FleetRules& rules, Fleet& fleet);

}  // namespace frx::derive::ranks
