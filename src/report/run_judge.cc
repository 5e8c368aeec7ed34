#include "report/run_judge.h"

#include <map>

#include "advise/run_circumstances.h"
#include "knowledge/gpu_overrides.h"

namespace frx::report {

namespace {

// A contributor that is only inferred does not hold for a program that is known to do it already.
void leave_out_what_is_done(const model::ProgramTraits& program, diagnose::FrameworkTax& tax) {
  std::erase_if(tax.contributors, [&](const diagnose::TaxContributor& one) {
    return (program.replays_graphs.value_or(false) && one.name.starts_with("Missing graph capture")) ||
           (program.is_compiled.value_or(false) && one.name.starts_with("Unfused elementwise"));
  });
}

// The values of the file's top level, and of the section of the user's GPU.
Result<std::map<std::string, double>> thresholds_in(const ThresholdOptions& options, const knowledge::Knowledge& knowledge) {
  knowledge::GpuMatch match;
  if (!options.gpu_model.empty()) {
    TRY_ASSIGN(match, knowledge::match_option(knowledge.gpus, options.gpu_model));
  }
  if (options.arch_profile.empty()) return std::map<std::string, double>();
  TRY_ASSIGN(const knowledge::GpuOverrides overrides, knowledge::GpuOverrides::load(options.arch_profile, knowledge.labels.thresholds()));
  TRY_ASSIGN(knowledge::GpuProfile profile, overrides.apply(match, options.gpu_model));
  return std::move(profile.classifier_thresholds);
}

}  // namespace

Result<std::unique_ptr<RunJudge>> RunJudge::create(const std::string& data_directory, const ThresholdOptions& thresholds) {
  std::unique_ptr<RunJudge> judge(new RunJudge);
  TRY_ASSIGN(judge->expertise_, Expertise::load(data_directory));
  const knowledge::Knowledge& known = judge->expertise_->knowledge();
  TRY_ASSIGN(const auto own, thresholds_in(thresholds, known));
  TRY_ASSIGN(judge->labels_, knowledge::RunLabels::load(known.library, own));
  return judge;
}

void RunJudge::judge(RunScope& scope, const diagnose::RunSample& sample) const {
  scope.diagnosis = diagnose::diagnose_run(labels_, scope.facts, scope.dominant_stall, sample);
  scope.tax = diagnose::framework_tax(
      scope.facts, {labels_.thresholds().value("fat_high_threshold"), labels_.thresholds().value("fat_moderate_threshold")});
  if (scope.tax) leave_out_what_is_done(scope.program, *scope.tax);
  advise::ProgramFacts program;
  program.ranks_compared = scope.ranks_compared;
  program.traits = scope.program;
  const advise::Catalogue& catalogue = expertise_->catalogue();
  const advise::RunCircumstances circumstances(scope.facts, scope.diagnosis, labels_.thresholds(), program, catalogue.names());
  std::vector<advise::Diagnosed> diagnosed;
  for (const model::Finding& finding : scope.diagnosis.findings) diagnosed.push_back({finding.id(), finding.score, &circumstances, 0});
  scope.advice = advise::advice_for(catalogue, diagnosed);
}

}  // namespace frx::report
