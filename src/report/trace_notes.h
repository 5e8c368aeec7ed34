// The notes of a report about a trace on its recording.
#pragma once

#include <string>
#include <vector>

#include "derive/trace/damage.h"
#include "model/timeline.h"
#include "report/trace_report.h"

namespace frx::report {

// For a report that is complete except for its notes.
std::vector<std::string> notes_of(const model::Timeline& timeline, const derive::trace::Damage& damage, const TraceReport& report);

}  // namespace frx::report
