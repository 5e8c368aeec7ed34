// The analysts of one analysis, each made when it is first needed. What they answer points into them.
#pragma once

#include <memory>
#include <mutex>

#include "analyse/options.h"
#include "report/code_analyst.h"
#include "report/expertise.h"
#include "report/run_analyst.h"
#include "report/trace_analyst.h"

namespace frx::analyse {

// Those that change nothing when they answer: contexts of several threads may share them.
class Analysts {
 public:
  explicit Analysts(report::AnalysisOptions options) : options_(std::move(options)) {}

  // Errors name the file of --data or --arch-profile that cannot be used.
  Result<const knowledge::Knowledge*> knowledge();
  Result<const report::TraceAnalyst*> traces();
  Result<const report::RunAnalyst*> runs();
  Result<const report::CodeAnalyst*> code();

 private:
  report::ThresholdOptions thresholds() const { return {options_.arch_profile, options_.gpu_model, options_.gpu_is_fallback}; }

  report::AnalysisOptions options_;
  std::mutex mutex_;
  std::shared_ptr<const report::Expertise> expertise_;
  std::unique_ptr<report::TraceAnalyst> traces_;
  std::unique_ptr<report::RunAnalyst> runs_;
  std::unique_ptr<report::CodeAnalyst> code_;
};

class Context {
 public:
  explicit Context(Options options) : options_(std::move(options)), analysts_(std::make_shared<Analysts>(options_.knowledge)) {}
  // `analysts`: made with the same options.
  Context(Options options, std::shared_ptr<Analysts> analysts) : options_(std::move(options)), analysts_(std::move(analysts)) {}

  const Options& options() const { return options_; }
  Result<const knowledge::Knowledge*> knowledge() { return analysts_->knowledge(); }
  Result<report::Analyst*> profiles();
  Result<const report::TraceAnalyst*> traces() { return analysts_->traces(); }
  Result<const report::RunAnalyst*> runs() { return analysts_->runs(); }
  Result<const report::CodeAnalyst*> code() { return analysts_->code(); }

 private:
  Options options_;
  std::shared_ptr<Analysts> analysts_;
  std::unique_ptr<report::Analyst> profiles_;  // keeps what it answers
};

}  // namespace frx::analyse
