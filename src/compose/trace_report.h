// The answer about a trace, for people and as trace_analysis_v1.
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "compose/style.h"
#include "report/trace_report.h"

namespace frx::compose {

// `scope`: "run", "steady_state", or "auto" for the steady state when there is one.
std::string trace_text(const report::TraceReport& report, std::string_view scope, const Style& style);
Json trace_json(const report::TraceReport& report);

}  // namespace frx::compose
