#include "render/run_scope_json.h"

#include <algorithm>

#include "render/ncu_json.h"

namespace frx::render {

using model::RunFact;
using report::RunScope;

Json facts_json(const model::RunFacts& facts) {
  Json json = Json::object();
  for (std::size_t i = 0; i < model::run_fact_count; ++i) {
    json[std::string(model::run_fact_names[i].name)] = number(facts[static_cast<RunFact>(i)]);
  }
  return json;
}

Json bottlenecks_json(const RunScope& scope) {
  Json list = Json::array();
  for (const diagnose::RunFinding& finding : scope.diagnosis.findings) {
    Json evidence = Json::object();
    for (const auto& [key, fact] : finding.label->evidence) evidence[std::string(key)] = number(scope.facts[fact]);
    Json worst = Json::array();
    for (const diagnose::StepValue& step : finding.worst_steps) worst.push_back({{"step_id", step.step}, {"value", number(step.value)}});
    list.push_back({{"label", finding.label->id},
                    {"display", finding.label->display},
                    {"score", number(finding.score)},
                    {"evidence", std::move(evidence)},
                    {"worst_steps", std::move(worst)}});
  }
  return list;
}

Json diagnosis_json(const RunScope& scope) {
  const diagnose::TrainingDiagnosis& d = scope.diagnosis;
  Json secondary = Json::array(), unknown = Json::array(), recommendations = Json::array(), bundles = Json::array();
  for (std::size_t i = 1; i < std::min<std::size_t>(3, d.findings.size()); ++i) secondary.push_back(d.findings[i].label->id);
  for (const knowledge::RunLabel* label : d.cannot_tell) unknown.push_back({{"label", label->id}, {"needs", label->missing}});
  for (const advise::Recommendation& r : scope.advice.recommendations) recommendations.push_back(recommendation_json(r));
  for (const advise::Bundle& bundle : scope.advice.bundles) {
    bundles.push_back({{"label", bundle.label}, {"category", bundle.category}, {"recommendation_ids", bundle.ids}});
  }
  return {{"primary_bottleneck", text_or_null(d.primary)},
          {"user_facing_bottleneck", text_or_null(d.user_facing)},
          {"secondary_bottlenecks", std::move(secondary)},
          {"confidence", {{"level", d.confidence_level}, {"score", number(d.confidence)}, {"reason", d.confidence_reason}}},
          {"why", d.why},
          {"why_not_others", d.why_not_others},
          {"cannot_tell", std::move(unknown)},
          {"recommendations", std::move(recommendations)},
          {"recommendation_bundles", std::move(bundles)},
          {"withheld_recommendations", withheld_json(scope.advice)},
          {"dominant_stall_type", scope.dominant_stall}};
}

Json scope_comparison_json(const RunScope& run, const RunScope* steady_state) {
  const std::string& answer = (steady_state ? *steady_state : run).diagnosis.primary;
  return {{"diagnosis_changed", run.diagnosis.primary != answer},
          {"run_primary_bottleneck", text_or_null(run.diagnosis.primary)},
          {"steady_state_primary_bottleneck", steady_state ? text_or_null(answer) : Json(nullptr)}};
}

}  // namespace frx::render
