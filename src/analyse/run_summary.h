// derived/summary.json of a run.
#pragma once

#include <string>

#include "answer/json.h"
#include "base/result.h"
#include "report/run_report.h"

namespace frx::analyse {

// Writes derived/summary.json into the folder of the run: the summary of docs/contract.md, made again from the event stream, or from
// the profiler's trace when there is none. `more`: members that are added to it.
Result<> write_run_summary(const report::RunReport& report, const std::string& folder, const answer::Json& more = answer::Json::object());

}  // namespace frx::analyse
