// The collectives of one rank of a run as a store keeps them, so that those of all ranks can be compared there; and what comes of that.
//
// The comparison is the one of derive/ranks/fleet.h: what a rank came later than the middle one of a group by work of its own, step by
// step. Its arithmetic within a rank (own work between two collectives) is done before the rows are written; everything across ranks is a
// query of the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "derive/ranks/fleet.h"
#include "knowledge/fleet_rules.h"
#include "model/rank_summary.h"

namespace frx::history {

struct RankCollective {
  std::int64_t step = 0;
  std::string members, what;           // the group, and "allreduce of 100 Float"
  std::uint64_t nth = 0;               // of the collectives of this group in the step
  std::int64_t duration_ns = 0;        // of the clock of the rank
  std::optional<std::int64_t> own_ns;  // outside of communication since the last collective of the group; none before the first
};

struct RunRank {
  std::int64_t rank = 0;
  std::string node;    // "": not known
  double step_ns = 0;  // mean; 0: not known
  std::vector<RankCollective> collectives;
};

// Malformed: the summary names no rank.
Result<RunRank> run_rank_of(const model::RankSummary& summary);

// What a store says of a rank: in how many steps it was late, by the two limits of derive::ranks::Evidence, and by how much in sum.
struct RankHits {
  std::int64_t rank = 0;
  std::string node;
  std::uint64_t steps = 0, clear = 0, leaning = 0;
  std::int64_t clear_ns = 0, leaning_ns = 0, waited_ns = 0;
};

struct RankReduction {
  std::uint64_t ranks = 0, steps = 0, collectives = 0;  // that are kept of the run; collectives of each rank
  std::vector<RankHits> hits;                           // by rank; of those whose own work is known in a step
};

// Which ranks are late, and what they cost.
struct LateRanks {
  struct One {
    std::int64_t rank = 0;
    std::string node;
    derive::ranks::Record late;
    double waited_ns = 0;  // of a step, mean
  };
  std::string store, run;
  std::uint64_t ranks = 0, steps = 0, collectives = 0;
  std::uint64_t steps_needed = 0;  // in which a rank that is late in each of them is told from chance
  std::vector<One> all;            // by rank
  std::vector<One> late() const;   // the costliest first
};

LateRanks late_ranks_of(const RankReduction& reduction, const knowledge::FleetRules& rules);

}  // namespace frx::history
