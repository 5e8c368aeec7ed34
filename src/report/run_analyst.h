// From a run bundle to its report.
#pragma once

#include <memory>
#include <string>

#include "ingest/run_bundle/open_bundle.h"
#include "report/run_report.h"
#include "report/trace_analyst.h"

namespace frx::report {

class RunAnalyst {
 public:
  static Result<std::unique_ptr<RunAnalyst>> create(const std::string& data_directory, const ThresholdOptions& thresholds = {},
                                                    bool with_figures = false);

  // Uses the event stream of the SDK with the samples of the GPUs, and the trace of the profiler beside it; without a stream the trace
  // alone, without either an existing summary. The report points into this analyst.
  Result<std::unique_ptr<RunReport>> analyse(const ingest::RunBundle& bundle, Layouts layouts = Layouts::left_out) const;

 private:
  RunAnalyst() = default;

  std::unique_ptr<TraceAnalyst> traces_;
};

}  // namespace frx::report
