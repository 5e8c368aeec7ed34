// From the bytes of a trace to its report.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/files.h"
#include "report/run_judge.h"
#include "report/trace_report.h"

namespace frx::report {

class TraceAnalyst {
 public:
  // `data_directory`: YAML laid over the built-in labels and advice, or "".
  static Result<std::unique_ptr<TraceAnalyst>> create(const std::string& data_directory, const ThresholdOptions& thresholds = {});

  // The report points into this analyst.
  Result<std::unique_ptr<TraceReport>> analyse(std::string name, ByteSource& source,
                                               const std::function<void(std::uint64_t)>& progress = {}) const;

  // For what else a run bundle holds.
  const RunJudge& judge() const { return *judge_; }

 private:
  TraceAnalyst() = default;

  std::unique_ptr<RunJudge> judge_;
};

// Do the first bytes of a file, packed or not, begin what may be a trace?
bool may_be_trace(ByteSource& source);

}  // namespace frx::report
