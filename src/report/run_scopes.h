// From the steps of a run to the answers about it, whatever recorded them.
#pragma once

#include <span>

#include "model/gpu_sample.h"
#include "model/program_traits.h"
#include "model/step_table.h"
#include "report/run_judge.h"
#include "report/run_scope.h"

namespace frx::report {

struct RecordedSteps {
  std::span<const model::StepTable> tables;  // of its processes, at least one
  std::span<const model::GpuSample> samples;
  bool clock_broken = false;    // no times between events are valid
  bool ranks_compared = false;  // as in RunScope
  model::ProgramTraits program = {};
};

// The results point into the judge.
RunScopes scopes_of(const RunJudge& judge, const RecordedSteps& recorded);

// The scope that is reported where there is no steady state: no steps and no label; the reason of its confidence says why.
RunScope no_steady_state(const RunScope& run);

// `own` evaluated again with other facts.
RunScope judged_with(const RunJudge& judge, const RecordedSteps& recorded, const RunScope& own, const model::RunFacts& facts);

}  // namespace frx::report
