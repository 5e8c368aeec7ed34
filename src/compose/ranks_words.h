// Sentences about the ranks of a run, for every report and brief that speaks of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/run_report.h"

namespace frx::compose {

// "rank 3", "ranks 0 and 6", "ranks 0-3, 6 and 9"; ascending.
std::string ranks_text(std::vector<std::int64_t> ranks);
// Of gaps: "ranks 2-127".
std::string gaps_text(std::span<const std::pair<std::int64_t, std::int64_t>> gaps);

// "8 of 8 (from distributedInfo)".
std::string who_is_here(const report::RanksReport& report);
// Is a rank late, how much that costs, and how sure it is.
std::string late_sentence(const report::RanksReport& report);
// Whose diagnosis the run's is, and why.
std::string answer_sentence(const report::RanksReport& report);
// What other ranks say; "" when all agree.
std::string disagreement(const report::RanksReport& report);
// Which stream of the SDK answers for a run with several, and what the others say.
std::string streams_sentence(const report::RunReport& report);
// Where sequences of collectives part; "" when they do not.
std::string mismatch_sentence(const report::RanksReport& report);

}  // namespace frx::compose
