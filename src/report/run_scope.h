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
};

}  // namespace frx::report
