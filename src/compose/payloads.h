// The results for programs: the members of each kind, and those that several of them have in common.
#pragma once

#include <string_view>

#include "answer/answer.h"
#include "compose/explain.h"
#include "report/bench_report.h"
#include "report/cuda_report.h"
#include "report/device_report.h"
#include "report/evidence.h"
#include "report/implementation_comparison.h"
#include "report/ncu_comparison.h"
#include "report/ranks_report.h"
#include "report/run_comparison.h"
#include "report/run_report.h"

namespace frx::compose {

using answer::exact;
using answer::JsonObject;
using answer::rounded;
using answer::unless_empty;
using answer::unless_zero;
using answer::when;

void put_bench(JsonObject& out, const report::BenchReport& report);
void put_cuda(JsonObject& out, const report::CudaReport& report);
void put_device(JsonObject& out, const report::DeviceReport& report);
void put_evidence(JsonObject& out, const report::EvidenceReport& report);
void put_explanation(JsonObject& out, const ExplainInput& input);
void put_explanation(JsonObject& out, const PtxBrief& brief);
void put_implementation_comparison(JsonObject& out, const report::ImplementationComparison& comparison);
void put_ncu_comparison(JsonObject& out, const report::NcuComparison& comparison);
void put_ncu_comparison(JsonObject& out, const report::NcuComparison& comparison, const answer::Payload& more_of_predictions);
void put_profile(JsonObject& out, const report::NcuReport& report);
void put_ptx(JsonObject& out, const report::PtxReport& report);
void put_ranks(JsonObject& out, const report::RanksReport& report);
void put_run(JsonObject& out, const report::RunReport& report);
void put_run_brief(JsonObject& out, const report::RunReport& report, const report::RunScope& scope);
void put_run_comparison(JsonObject& out, const report::RunComparison& comparison);
void put_trace(JsonObject& out, const report::TraceReport& report);
void put_gpu_use(JsonObject& out, const report::GpuUse& use);

// The documented fields, and what bounds and explains it.
void put_recommendation(JsonObject& out, const advise::Recommendation& recommendation);
// "top_recommendations" of a brief: the three strongest, each with two of its actions.
void put_top_recommendations(JsonObject& out, const advise::Advice& advice);
// "validation_steps".
void put_validation_steps(JsonObject& out, const advise::Recommendation& recommendation);
void put_bundles(JsonObject& out, std::string_view key, const advise::Advice& advice);
void put_withheld(JsonObject& out, std::string_view key, const advise::Advice& advice);

// A finding of static analysis: the documented fields and their aliases (kind, kernel), and where it shows.
void put_finding(JsonObject& out, const model::Finding& finding);

// "facts".
void put_facts(JsonObject& out, const model::RunFacts& facts);
// "scope", "step_count" in the documented places.
void put_scope_name(JsonObject& out, const report::RunScope& scope);
// "bottlenecks", "diagnosis", "framework_abstraction_tax".
void put_run_verdict(JsonObject& out, const report::RunScope& scope);
// "framework_abstraction_tax".
void put_tax(JsonObject& out, const report::RunScope& scope);
// "confidence".
void put_confidence(JsonObject& out, const diagnose::TrainingDiagnosis& diagnosis);
// What a label of a run rests on, by the documented names.
void put_run_evidence(JsonObject& out, const model::Finding& finding);
// "steady_state", whose members put(out, scope) writes; where there is none, a scope of no steps with the `reason`.
void put_steady_state(JsonObject& out, const report::RunScopes& scopes,
                      const std::function<void(JsonObject&, const report::RunScope&)>& put);
// "scope_comparison".
void put_scope_comparison(JsonObject& out, const report::RunScope& run, const report::RunScope* steady_state);

// "selector".
void put_selector(JsonObject& out, std::size_t skipped);
// "evidence_failures".
void put_evidence_failures(JsonObject& out, const report::ImplementationComparison& comparison);
// "baselines".
void put_baselines(JsonObject& out, const std::optional<derive::compare::BaselineSpread>& baselines, double noise_floor);

// A finding of a profile.
void put_bottleneck(JsonObject& out, const model::Finding& finding, const report::SourceFile& file);
// The values that it rests on.
void put_readings(JsonObject& out, const model::Finding& finding);
// "roofline".
void put_roofline(JsonObject& out, const derive::Roofline& roofline);
// "occupancy_summary".
void put_occupancy_summary(JsonObject& out, const report::NcuReport& report);
// "hot_lines", "hot_lines_ranked_by".
void put_hot_lines(JsonObject& out, const report::HotCode& code);

}  // namespace frx::compose
