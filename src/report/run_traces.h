// The traces of the profiler in a run bundle.
#pragma once

#include "ingest/run_bundle/open_bundle.h"
#include "report/run_report.h"
#include "report/trace_analyst.h"

namespace frx::report {

// Fills in RunReport::trace and, for traces of several ranks, RunReport::ranks. Those of several ranks are one answer; of several others
// the first one counts. An unreadable trace is left out with a note; fails when the bundle does.
Result<> read_traces(const TraceAnalyst& traces, const ingest::RunBundle& bundle, Layouts layouts, RunReport& report);

}  // namespace frx::report
