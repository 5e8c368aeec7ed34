// The answer about the ranks of a run, for people and as ranks_analysis_v1.
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "compose/page.h"
#include "report/ranks_report.h"

namespace frx::compose {

std::string ranks_report_text(const report::RanksReport& report, const Style& style);
Json ranks_json(const report::RanksReport& report);

// The table of ranks and what is known of late ones, for a page about more than that.
void add_ranks(Page& page, const report::RanksReport& report);
// Where the answer is from, behind the verdict.
void add_answer_from(Page& page, const report::RanksReport& report);

}  // namespace frx::compose
