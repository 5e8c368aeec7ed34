// What the reader of a report about a trace should know of the recording.
#pragma once

#include <string>
#include <vector>

#include "model/timeline.h"
#include "report/trace_report.h"

namespace frx::report {

// Of a report that is complete but for its notes.
std::vector<std::string> notes_of(const model::Timeline& timeline, const TraceReport& report);

}  // namespace frx::report
