// What comes of the collectives of all ranks of a run, which are compared by queries of the store that keeps them.
//
// The comparison is the one of derive/ranks/fleet.h: what a rank came later than the middle one of a group by work of its own, and how long
// the transfers of a group took beside those of groups with the same collectives, step by step. Clocks are not kept, so that a collective
// whose members do not end together is compared as well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "derive/ranks/fleet.h"
#include "knowledge/fleet_rules.h"

namespace frx::history {

// In how many steps something was so, by the two limits of derive::ranks::Evidence, and by how much in sum.
struct StepHits {
  std::uint64_t steps = 0, clear = 0, leaning = 0;
  double clear_ns = 0, leaning_ns = 0;          // beyond the middle
  double clear_ratios = 0, leaning_ratios = 0;  // to the middle; of links
  std::vector<std::int64_t> clear_steps;        // their numbers

  void add(const StepHits& other);
};

// Of a rank whose own work is known in a step.
struct RankHits {
  std::int64_t rank = 0;
  StepHits late;
  double waited_ns = 0;  // of all its steps
};

// Of a group whose members have the same collectives in a step.
struct GroupHits {
  std::string members;
  StepHits slow;  // of the steps in which there were enough groups to compare with
  std::uint64_t steps = 0, collectives = 0;
  double transfer_ns = 0;  // of all its steps
};

struct GroupOfRanks {
  std::string members;
  std::vector<std::int64_t> ranks;  // numbers, at least two
};

// What a store says of a run.
struct RankReduction {
  std::vector<derive::ranks::FleetRank> ranks;  // by number; without their steps
  std::vector<std::int64_t> steps;              // that more than half of the ranks have, ascending
  std::uint64_t collectives = 0;                // of each rank, that are kept
  std::vector<RankHits> hits;                   // each rank once
  std::vector<GroupOfRanks> groups;
  std::vector<GroupHits> transfers;  // each group once
};

// Late ranks and nodes, and slow links.
struct ComparedRanks {
  std::string store, run;
  std::vector<derive::ranks::FleetRank> ranks;
  Interner words;  // names of groups
  derive::ranks::Fleet fleet;
  std::uint64_t collectives = 0;
};

ComparedRanks compare_ranks(RankReduction reduction, const knowledge::FleetRules& rules);

// "3,14,15", as stores write lists of numbers. What is no number is left out.
std::vector<std::int64_t> numbers_in(std::string_view list);

}  // namespace frx::history
