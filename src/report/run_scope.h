// The answer about some steps of a run, whichever tool recorded them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/advice.h"
#include "derive/steps/parts.h"
#include "derive/steps/selection.h"
#include "diagnose/framework_tax.h"
#include "diagnose/training.h"
#include "model/program_traits.h"
#include "model/run_facts.h"

namespace frx::report {

using derive::steps::gpu_active;
using derive::steps::StepTimes;

// All steps ("run"), or those after warming up ("steady_state").
struct RunScope {
  std::string name;
  std::vector<std::int64_t> step_numbers;
  std::size_t skipped = 0;         // steps at the beginning that are left out
  std::optional<StepTimes> times;  // of these steps, on the first process; absent when there is no step
  model::RunFacts facts;
  std::string dominant_stall;
  diagnose::TrainingDiagnosis diagnosis;
  std::optional<diagnose::FrameworkTax> tax;
  advise::Advice advice;
  bool ranks_compared = false;  // the late ranks of the run are known, or there are no ranks
  model::ProgramTraits program;
};

// The answers about a run: from the beginning, and without the warm-up steps when enough remain.
struct RunScopes {
  RunScope run;
  std::optional<RunScope> steady_state;

  // The scope that represents the run.
  const RunScope& scope() const { return steady_state ? *steady_state : run; }
  // "run", or for any other name the scope that answers for the run.
  const RunScope& scope_named(std::string_view name) const { return name == "run" ? run : scope(); }
};

}  // namespace frx::report
