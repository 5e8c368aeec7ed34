#include "render/run_scope_json.h"

#include <algorithm>

#include "render/json.h"
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

namespace {

Json evidence_json(const diagnose::RunFinding& finding, const model::RunFacts& facts) {
  Json evidence = Json::object();
  for (const auto& [key, fact] : finding.label->evidence) evidence[std::string(key)] = number(facts[fact]);
  return evidence;
}

}  // namespace

Json bottlenecks_json(const RunScope& scope) {
  Json list = Json::array();
  for (const diagnose::RunFinding& finding : scope.diagnosis.findings) {
    Json worst = Json::array();
    for (const diagnose::StepValue& step : finding.worst_steps) worst.push_back({{"step_id", step.step}, {"value", number(step.value)}});
    list.push_back({{"label", finding.label->id},
                    {"display", finding.label->display},
                    {"score", number(finding.score)},
                    {"evidence", evidence_json(finding, scope.facts)},
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
          {"evidence", d.findings.empty() ? Json(Json::object()) : evidence_json(d.findings.front(), scope.facts)},
          {"why", d.why},
          {"why_not_others", d.why_not_others},
          {"cannot_tell", std::move(unknown)},
          {"recommendations", std::move(recommendations)},
          {"recommendation_bundles", std::move(bundles)},
          {"withheld_recommendations", withheld_json(scope.advice)},
          {"dominant_stall_type", scope.dominant_stall},
          {"classifier_version", "frx-run-labels-1"},
          {"thresholds_source", d.thresholds_source},
          {"thresholds_hash", d.thresholds_hash}};
}

Json tax_json(const RunScope& scope) {
  if (!scope.tax) return nullptr;
  const diagnose::FrameworkTax& tax = *scope.tax;
  Json contributors = Json::array();
  for (const diagnose::TaxContributor& one : tax.contributors) {
    contributors.push_back({{"name", one.name}, {"points", one.points}, {"inferred", one.inferred}});
  }
  const auto fact = [&](RunFact name) { return number(scope.facts[name]); };
  const auto& volatility = scope.facts[RunFact::shape_volatility];
  return {{"version", "fat_v1"},
          {"score", tax.score},
          {"severity", tax.severity},
          {"contributors", std::move(contributors)},
          {"evidence",
           {{"gpu_active_fraction", number(tax.gpu_active)},
            {"overhead_idle_fraction", number(tax.overhead_idle)},
            {"pipeline_idle_fraction", number(tax.pipeline_idle)},
            {"small_kernel_fraction", fact(RunFact::small_kernel_fraction)},
            {"kernel_count_per_step", fact(RunFact::kernels_per_step)},
            {"median_cuda_kernel_duration_us", fact(RunFact::median_kernel_us)},
            {"shape_volatility_ratio", fact(RunFact::shape_volatility)},
            {"shapes_stable", volatility ? Json(*volatility < 0.30) : Json(nullptr)}}}};
}

Json scope_comparison_json(const RunScope& run, const RunScope* steady_state) {
  const std::string& answer = (steady_state ? *steady_state : run).diagnosis.primary;
  return {{"diagnosis_changed", run.diagnosis.primary != answer},
          {"run_primary_bottleneck", text_or_null(run.diagnosis.primary)},
          {"steady_state_primary_bottleneck", steady_state ? text_or_null(answer) : Json(nullptr)}};
}

}  // namespace frx::render
