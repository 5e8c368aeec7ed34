#include "report/run_judge.h"

#include "advise/run_signals.h"

namespace frx::report {

Result<std::unique_ptr<RunJudge>> RunJudge::create(const std::string& data_directory) {
  std::unique_ptr<RunJudge> judge(new RunJudge);
  TRY_ASSIGN(judge->knowledge_, knowledge::Knowledge::load(data_directory));
  TRY_ASSIGN(judge->labels_, knowledge::RunLabels::load(judge->knowledge_.library));
  TRY_ASSIGN(advise::Catalogue catalogue, advise::Catalogue::load(judge->knowledge_));
  judge->catalogue_ = std::make_unique<advise::Catalogue>(std::move(catalogue));
  return judge;
}

void RunJudge::judge(RunScope& scope, const diagnose::RunSample& sample) const {
  scope.diagnosis = diagnose::diagnose_run(labels_, scope.facts, scope.dominant_stall, sample);
  scope.tax = diagnose::framework_tax(scope.facts, scope.diagnosis);
  const advise::SignalMap signals = advise::signals_of(scope.facts);
  std::vector<advise::Diagnosed> diagnosed;
  for (const diagnose::RunFinding& finding : scope.diagnosis.findings) diagnosed.push_back({finding.label->id, finding.score, &signals, 0});
  scope.advice = advise::advice_for(*catalogue_, diagnosed);
}

}  // namespace frx::report
