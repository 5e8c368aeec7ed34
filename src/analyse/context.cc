#include "analyse/context.h"

namespace frx::analyse {

Result<const knowledge::Knowledge*> Analysts::knowledge() {
  const std::scoped_lock lock(mutex_);
  if (!expertise_) {
    TRY_ASSIGN(expertise_, report::Expertise::load(options_.data_directory));
  }
  return &expertise_->knowledge();
}

Result<const report::TraceAnalyst*> Analysts::traces() {
  const std::scoped_lock lock(mutex_);
  if (!traces_) {
    TRY_ASSIGN(traces_, report::TraceAnalyst::create(options_.data_directory, thresholds(), options_.with_figures));
  }
  return traces_.get();
}

Result<const report::RunAnalyst*> Analysts::runs() {
  const std::scoped_lock lock(mutex_);
  if (!runs_) {
    TRY_ASSIGN(runs_, report::RunAnalyst::create(options_.data_directory, thresholds(), options_.with_figures));
  }
  return runs_.get();
}

Result<const report::CodeAnalyst*> Analysts::code() {
  const std::scoped_lock lock(mutex_);
  if (!code_) {
    TRY_ASSIGN(code_, report::CodeAnalyst::create(options_));
  }
  return code_.get();
}

Result<report::Analyst*> Context::profiles() {
  if (!profiles_) {
    TRY_ASSIGN(profiles_, report::Analyst::create(options_.knowledge));
  }
  return profiles_.get();
}

}  // namespace frx::analyse
