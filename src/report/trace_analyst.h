// From the bytes of a trace to its report.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "advise/catalogue.h"
#include "base/files.h"
#include "knowledge/knowledge.h"
#include "knowledge/run_labels.h"
#include "report/trace_report.h"

namespace frx::report {

class TraceAnalyst {
 public:
  // `data_directory`: YAML laid over the built-in labels and advice, or "".
  static Result<std::unique_ptr<TraceAnalyst>> create(const std::string& data_directory);

  // The report points into this analyst.
  Result<std::unique_ptr<TraceReport>> analyse(std::string name, ByteSource& source,
                                               const std::function<void(std::uint64_t)>& progress = {}) const;

 private:
  TraceAnalyst() = default;
  void diagnose(RunScope& scope, const diagnose::RunSample& sample) const;

  knowledge::Knowledge knowledge_;
  knowledge::RunLabels labels_;
  std::unique_ptr<advise::Catalogue> catalogue_;
};

// Do the first bytes of a file, packed or not, begin what may be a trace?
bool may_be_trace(ByteSource& source);

}  // namespace frx::report
