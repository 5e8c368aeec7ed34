// The collectives of one rank of a run as a store keeps them, so that those of all ranks can be compared there (history/compared_ranks.h).
//
// The arithmetic within a rank (own work between two collectives) is done before the rows are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
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

}  // namespace frx::history
