// The traces of the profiler that lie in a run bundle.
#pragma once

#include "ingest/run_bundle/open_bundle.h"
#include "report/run_report.h"
#include "report/trace_analyst.h"

namespace frx::report {

// Fills in RunReport::trace and, of traces of several ranks, RunReport::ranks. Those of several ranks are one answer; several that
// are not of ranks are not, and then the first one counts. What cannot be read is left out with a note; fails when the bundle does.
Result<> read_traces(const TraceAnalyst& traces, const ingest::RunBundle& bundle, RunReport& report);

}  // namespace frx::report
