#include "report/run_judge.h"

#include "advise/run_signals.h"

namespace frx::report {

Result<std::unique_ptr<RunJudge>> RunJudge::create(const std::string& data_directory) {
  std::unique_ptr<RunJudge> judge(new RunJudge);
  TRY_ASSIGN(judge->expertise_, Expertise::load(data_directory));
  TRY_ASSIGN(judge->labels_, knowledge::RunLabels::load(judge->expertise_->knowledge().library));
  return judge;
}

void RunJudge::judge(RunScope& scope, const diagnose::RunSample& sample) const {
  scope.diagnosis = diagnose::diagnose_run(labels_, scope.facts, scope.dominant_stall, sample);
  scope.tax = diagnose::framework_tax(scope.facts);
  const advise::SignalMap signals = advise::signals_of(scope.facts);
  std::vector<advise::Diagnosed> diagnosed;
  for (const diagnose::RunFinding& finding : scope.diagnosis.findings) diagnosed.push_back({finding.label->id, finding.score, &signals, 0});
  scope.advice = advise::advice_for(expertise_->catalogue(), diagnosed);
}

}  // namespace frx::report
