// The answer about a trace, for people and as trace_analysis_v1.
#pragma once

#include <string>

#include "render/json.h"
#include "render/style.h"
#include "report/trace_report.h"

namespace frx::render {

std::string trace_text(const report::TraceReport& report, const Style& style);
Json trace_json(const report::TraceReport& report);

}  // namespace frx::render
