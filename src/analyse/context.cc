#include "analyse/context.h"

namespace frx::analyse {

Result<const knowledge::Knowledge*> Context::knowledge() {
  if (!expertise_) {
    TRY_ASSIGN(expertise_, report::Expertise::load(options_.knowledge.data_directory));
  }
  return &expertise_->knowledge();
}

Result<report::Analyst*> Context::profiles() {
  if (!profiles_) {
    TRY_ASSIGN(profiles_, report::Analyst::create(options_.knowledge));
  }
  return profiles_.get();
}

Result<const report::TraceAnalyst*> Context::traces() {
  if (!traces_) {
    TRY_ASSIGN(traces_, report::TraceAnalyst::create(options_.knowledge.data_directory, thresholds()));
  }
  return traces_.get();
}

Result<const report::RunAnalyst*> Context::runs() {
  if (!runs_) {
    TRY_ASSIGN(runs_, report::RunAnalyst::create(options_.knowledge.data_directory, thresholds()));
  }
  return runs_.get();
}

Result<const report::CodeAnalyst*> Context::code() {
  if (!code_) {
    TRY_ASSIGN(code_, report::CodeAnalyst::create(options_.knowledge));
  }
  return code_.get();
}

}  // namespace frx::analyse
