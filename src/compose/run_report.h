// The answer about a run bundle, for people and as run_analysis_v1.
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "compose/style.h"
#include "report/run_report.h"

namespace frx::compose {

// `scope`: "run", "steady_state", or "auto" for the steady state when there is one.
std::string run_text(const report::RunReport& report, std::string_view scope, const Style& style);
Json run_json(const report::RunReport& report);
// Of which files a summary was made.
Json summary_inputs_json(const std::vector<ingest::SummaryInput>& inputs);

}  // namespace frx::compose
