#include <algorithm>

#include "compose/payloads.h"
#include "report/run_scopes.h"

namespace frx::compose {

using model::RunFact;
using report::RunScope;

namespace {

void put_bottleneck(JsonObject& out, const model::Finding& finding) {
  out.add("label", finding.id(), "display", finding.display(), "score", finding.score);
  out.object("evidence", [&](JsonObject& evidence) { put_run_evidence(evidence, finding); });
  out.list("worst_steps", finding.worst_steps,
           [](JsonObject& inner, const model::StepValue& step) { inner.add("step_id", step.step, "value", step.value); });
}

void put_diagnosis(JsonObject& out, const RunScope& scope) {
  const diagnose::TrainingDiagnosis& d = scope.diagnosis;
  std::vector<std::string_view> secondary;
  for (std::size_t i = 1; i < std::min<std::size_t>(3, d.findings.size()); ++i) secondary.push_back(d.findings[i].id());
  out.add("primary_bottleneck", unless_empty(d.primary), "user_facing_bottleneck", unless_empty(d.user_facing));
  out.add("secondary_bottlenecks", secondary);
  put_confidence(out, d);
  out.object("evidence", [&](JsonObject& evidence) {
    if (!d.findings.empty()) put_run_evidence(evidence, d.findings.front());
  });
  out.add("why", d.why, "why_not_others", d.why_not_others);
  out.list("cannot_tell", findings_with(d.others, model::Verdict::cannot_tell),
           [](JsonObject& inner, const model::Finding* finding) { inner.add("label", finding->id(), "needs", finding->missing.front()); });
  out.list("recommendations", scope.advice.recommendations, put_recommendation);
  put_bundles(out, "recommendation_bundles", scope.advice);
  put_withheld(out, "withheld_recommendations", scope.advice);
  out.add("dominant_stall_type", scope.dominant_stall, "classifier_version", "frx-run-labels-1");
  out.add("thresholds_source", d.thresholds_source, "thresholds_hash", d.thresholds_hash);
}

}  // namespace

void put_facts(JsonObject& out, const model::RunFacts& facts) {
  out.object("facts", [&](JsonObject& inner) {
    for (std::size_t i = 0; i < model::run_fact_count; ++i) inner.add(model::run_fact_names[i].name, facts[static_cast<RunFact>(i)]);
  });
}

void put_scope_name(JsonObject& out, const RunScope& scope) {
  out.object("scope", [&](JsonObject& inner) { inner.add("name", scope.name, "step_ids", scope.step_numbers); });
}

void put_confidence(JsonObject& out, const diagnose::TrainingDiagnosis& d) {
  out.object("confidence",
             [&](JsonObject& inner) { inner.add("level", d.confidence_level, "score", d.confidence, "reason", d.confidence_reason); });
}

void put_run_evidence(JsonObject& out, const model::Finding& finding) {
  for (const model::Evidence& evidence : finding.evidence) out.add(evidence.value.id, evidence.number());
}

void put_run_verdict(JsonObject& out, const RunScope& scope) {
  out.list("bottlenecks", scope.diagnosis.findings,
           [&](JsonObject& inner, const model::Finding& finding) { put_bottleneck(inner, finding); });
  out.object("diagnosis", [&](JsonObject& inner) { put_diagnosis(inner, scope); });
  put_tax(out, scope);
}

void put_tax(JsonObject& out, const RunScope& scope) {
  out.object("framework_abstraction_tax", scope.tax, [&](JsonObject& inner, const diagnose::FrameworkTax& tax) {
    inner.add("version", "fat_v1", "score", tax.score, "severity", tax.severity);
    inner.list("contributors", tax.contributors, [](JsonObject& one, const diagnose::TaxContributor& contributor) {
      one.add("name", contributor.name, "points", contributor.points, "inferred", contributor.inferred);
    });
    inner.object("evidence", [&](JsonObject& evidence) {
      const auto& volatility = scope.facts[RunFact::shape_volatility];
      evidence.add("gpu_active_fraction", tax.gpu_active, "overhead_idle_fraction", tax.overhead_idle, "pipeline_idle_fraction",
                   tax.pipeline_idle, "small_kernel_fraction", scope.facts[RunFact::small_kernel_fraction]);
      evidence.add("kernel_count_per_step", scope.facts[RunFact::kernels_per_step], "median_cuda_kernel_duration_us",
                   scope.facts[RunFact::median_kernel_us], "shape_volatility_ratio", volatility, "shapes_stable",
                   volatility ? std::optional(*volatility < 0.30) : std::nullopt);
    });
  });
}

void put_steady_state(JsonObject& out, const report::RunScopes& scopes, const std::function<void(JsonObject&, const RunScope&)>& put) {
  const RunScope scope = scopes.steady_state ? *scopes.steady_state : report::no_steady_state(scopes.run);
  out.object("steady_state", [&](JsonObject& inner) {
    put(inner, scope);
    inner.add("reason", when(!scopes.steady_state, scope.diagnosis.confidence_reason));
  });
}

void put_scope_comparison(JsonObject& out, const RunScope& run, const RunScope* steady_state) {
  const std::string& answer = (steady_state ? *steady_state : run).diagnosis.primary;
  out.object("scope_comparison", [&](JsonObject& inner) {
    inner.add("diagnosis_changed", run.diagnosis.primary != answer, "run_primary_bottleneck", unless_empty(run.diagnosis.primary),
              "steady_state_primary_bottleneck", steady_state ? unless_empty(answer) : std::nullopt);
  });
}

}  // namespace frx::compose
