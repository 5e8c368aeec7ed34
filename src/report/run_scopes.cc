#include "report/run_scopes.h"

#include <limits>

#include "base/units.h"
#include "derive/steps/facts.h"
#include "derive/steps/stalls.h"

namespace frx::report {
namespace {

namespace steps = derive::steps;

RunScope judged(const RunJudge& judge, const RecordedSteps& recorded, RunScope scope) {
  scope.ranks_compared = recorded.ranks_compared;
  scope.program = recorded.program;
  judge.judge(scope, {scope.step_numbers.size(), recorded.tables.front().has_boundaries(), recorded.clock_broken});
  for (model::Finding& finding : scope.diagnosis.findings)
    finding.worst_steps = steps::worst_steps(recorded.tables, scope.skipped, finding.id());
  return scope;
}

RunScope scope_of(const RunJudge& judge, const RecordedSteps& recorded, std::string name, std::size_t skipped) {
  RunScope scope;
  scope.name = std::move(name);
  scope.skipped = skipped;
  const model::StepTable& first = recorded.tables.front();
  for (const std::size_t row : steps::completed_rows(first, skipped)) scope.step_numbers.push_back(first.ids[row]);
  scope.times = steps::step_times(first, skipped);
  if (!recorded.clock_broken) scope.facts = steps::facts_of(recorded.tables, recorded.samples, skipped);
  scope.dominant_stall = steps::dominant_stall(recorded.tables, scope.facts, skipped);
  return judged(judge, recorded, std::move(scope));
}

}  // namespace

RunScopes scopes_of(const RunJudge& judge, const RecordedSteps& recorded) {
  RunScopes scopes{scope_of(judge, recorded, "run", 0), std::nullopt};
  if (const std::size_t skipped = steps::warm_up_steps(recorded.tables); skipped > 0)
    scopes.steady_state = scope_of(judge, recorded, "steady_state", skipped);
  return scopes;
}

RunScope no_steady_state(const RunScope& run) {
  RunScope none;
  none.name = "steady_state";
  none.skipped = std::numeric_limits<std::size_t>::max();
  none.dominant_stall = steps::dominant_stall(none.facts);
  none.diagnosis.confidence_level = "low";
  none.diagnosis.confidence_reason =
      fmt::format("{}: without the {} that warm up, fewer than {} would remain", count_text(run.step_numbers.size(), "completed step"),
                  steps::steps_of_warm_up, steps::least_steady_steps);
  none.diagnosis.thresholds_source = run.diagnosis.thresholds_source;
  none.diagnosis.thresholds_hash = run.diagnosis.thresholds_hash;
  return none;
}

RunScope judged_with(const RunJudge& judge, const RecordedSteps& recorded, const RunScope& own, const model::RunFacts& facts) {
  RunScope scope;
  scope.name = own.name;
  scope.step_numbers = own.step_numbers;
  scope.skipped = own.skipped;
  scope.times = own.times;
  scope.facts = facts;
  scope.dominant_stall = steps::dominant_stall(facts);
  return judged(judge, recorded, std::move(scope));
}

}  // namespace frx::report
