// The finished answer about a run bundle, as plain values that point into their analyst.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/run_record.h"
#include "report/run_scope.h"
#include "report/trace_report.h"

namespace frx::report {

struct RunReport {
  std::string source;       // folder or archive
  std::string name;         // of the run
  std::string job, status;  // of metadata.json, "" when not said
  std::string evidence;     // what the answer is made of: "event stream", "profiler trace"
  model::RunRecord record;
  RunScope run;
  std::optional<RunScope> steady_state;
  std::unique_ptr<TraceReport> trace;  // of the profiler, when the bundle has one
  std::vector<std::string> notes;

  // The scope that answers for the run.
  const RunScope& scope() const { return steady_state ? *steady_state : run; }
};

}  // namespace frx::report
