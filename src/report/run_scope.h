// The answer about some steps of a run, whoever recorded them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/advice.h"
#include "diagnose/framework_tax.h"
#include "diagnose/training.h"
#include "model/run_facts.h"

namespace frx::report {

// Documented: the first two steps are warming up. Ours: only where at least three remain; 0 otherwise.
constexpr std::size_t warm_up_steps_of(std::size_t steps) { return steps >= 5 ? 2 : 0; }

// All steps ("run"), or those after warming up ("steady_state").
struct RunScope {
  std::string name;
  std::vector<std::int64_t> step_numbers;
  std::size_t skipped = 0;  // steps at the beginning that are left out
  model::RunFacts facts;
  std::string dominant_stall;
  diagnose::TrainingDiagnosis diagnosis;
  std::optional<diagnose::FrameworkTax> tax;
  advise::Advice advice;
  bool ranks_compared = false;  // who is late among the ranks of the run is known, or there are no ranks
};

}  // namespace frx::report
