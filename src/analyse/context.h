// The analysts of one analysis, each made when it is first needed. What they answer points into them.
#pragma once

#include <memory>

#include "analyse/options.h"
#include "report/code_analyst.h"
#include "report/expertise.h"
#include "report/run_analyst.h"
#include "report/trace_analyst.h"

namespace frx::analyse {

class Context {
 public:
  explicit Context(Options options) : options_(std::move(options)) {}

  const Options& options() const { return options_; }
  // Errors name the file of --data or --arch-profile that cannot be used.
  Result<const knowledge::Knowledge*> knowledge();
  Result<report::Analyst*> profiles();
  Result<const report::TraceAnalyst*> traces();
  Result<const report::RunAnalyst*> runs();
  Result<const report::CodeAnalyst*> code();

 private:
  report::ThresholdOptions thresholds() const { return {options_.knowledge.arch_profile, options_.knowledge.gpu_model}; }

  Options options_;
  std::shared_ptr<const report::Expertise> expertise_;
  std::unique_ptr<report::Analyst> profiles_;
  std::unique_ptr<report::TraceAnalyst> traces_;
  std::unique_ptr<report::RunAnalyst> runs_;
  std::unique_ptr<report::CodeAnalyst> code_;
};

}  // namespace frx::analyse
