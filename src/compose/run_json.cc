#include <algorithm>

#include "compose/json.h"
#include "compose/ranks_report.h"
#include "compose/run_report.h"
#include "compose/run_scope_json.h"
#include "compose/trace_report.h"

namespace frx::compose {
namespace {

using model::RunFact;
using model::RunRecord;
using model::RunStep;
using report::RunReport;
using report::RunScope;

// Of what the answer is made of.
std::uint64_t events_of(const RunReport& report) {
  return report.evidence == "profiler trace" && report.trace ? report.trace->events : report.record.events;
}

Json when(bool recorded, std::int64_t ns) { return recorded ? Json(ns) : Json(nullptr); }

Json step_json(const RunRecord& record, const RunStep& step) {
  const std::int64_t phases = step.forward_ns + step.backward_ns + step.optimizer_ns;
  const double active = step.wall_ns > 0 ? std::clamp(static_cast<double>(phases) / static_cast<double>(step.wall_ns), 0.0, 1.0) : 0;
  return {{"step_id", step.id},
          {"status", step.status},
          {"step_kind", text_or_null(step.kind)},
          {"step_wall_time_ns", step.wall_ns},
          {"dataloader_wait_time_ns", when(record.has_loader, step.loader_ns + step.loader_before_ns)},
          {"dataloader_wait_before_step_ns", when(record.has_loader, step.loader_before_ns)},
          {"h2d_copy_time_ns", when(record.has_copies, step.host_to_device_ns)},
          {"sync_wait_time_ns", when(record.has_waits, step.sync_ns)},
          {"forward_time_ns", when(phases > 0, step.forward_ns)},
          {"backward_time_ns", when(phases > 0, step.backward_ns)},
          {"optimizer_time_ns", when(phases > 0, step.optimizer_ns)},
          {"gpu_active_fraction_proxy", step.gpu_active ? number(step.gpu_active)
                                        : phases > 0    ? number(active)
                                                        : Json(nullptr)},
          {"shape_signature", or_null(step.shape)},
          {"shape_changed", step.shape_changed},
          {"batch_size", or_null(step.batch_size)},
          {"sequence_length", or_null(step.sequence_length)},
          {"profiler_windows_exported", step.windows},
          {"kernel_count", or_null(step.kernels)},
          {"median_cuda_kernel_duration_us", number(step.median_kernel_us)},
          {"small_kernel_fraction", number(step.small_kernel_fraction)},
          {"loss", or_null(step.loss)}};
}

Json summary_json(const RunReport& report, const RunScope& scope) {
  const auto times = report::step_times(report.record, scope);
  const auto fact = [&](RunFact name) { return number(scope.facts[name]); };
  return {{"average_gpu_utilization_pct", fact(RunFact::gpu_utilization_pct)},
          {"average_memory_utilization_pct", fact(RunFact::memory_utilization_pct)},
          {"utilization_instability_pct", fact(RunFact::utilization_instability_pct)},
          {"memory_pressure_peak_ratio", fact(RunFact::memory_peak_ratio)},
          {"throughput_steps_per_sec", times ? number(times->per_second()) : Json(nullptr)},
          {"step_time_avg_ns", times ? Json(static_cast<std::int64_t>(times->wall_ns)) : Json(nullptr)},
          {"step_time_max_ns", times ? Json(times->longest_ns) : Json(nullptr)},
          {"shape_volatility_ratio", fact(RunFact::shape_volatility)},
          {"profiler_windows_exported", fact(RunFact::profiler_windows)},
          {"kernel_count_per_step", fact(RunFact::kernels_per_step)},
          {"median_cuda_kernel_duration_us", fact(RunFact::median_kernel_us)},
          {"small_kernel_fraction", fact(RunFact::small_kernel_fraction)},
          {"dominant_stall_type", scope.dominant_stall}};
}

Json scope_json(const RunReport& report, const RunScope& scope) {
  Json steps = Json::array();
  std::size_t completed = 0;
  for (const RunStep& step : report.record.steps) {
    if (step.completed() && completed++ < scope.skipped) continue;
    steps.push_back(step_json(report.record, step));
  }
  return {{"scope", {{"name", scope.name}, {"step_ids", scope.step_numbers}}},
          {"event_count", events_of(report)},
          {"step_count", scope.step_numbers.size()},
          {"facts", facts_json(scope.facts)},
          {"per_step", std::move(steps)},
          {"run_summary", summary_json(report, scope)},
          {"bottlenecks", bottlenecks_json(scope)},
          {"diagnosis", diagnosis_json(scope)},
          {"framework_abstraction_tax", tax_json(scope)}};
}

Json streams_json(const RunReport& report) {
  Json list = Json::array();
  for (const report::StreamOfRank& one : report.streams) {
    const RunScope& scope = one.scope();
    const auto times = report::step_times(one.record, scope);
    list.push_back({{"rank", one.rank},
                    {"scope", scope.name},
                    {"step_count", scope.step_numbers.size()},
                    {"step_time_avg_ns", times ? Json(static_cast<std::int64_t>(times->wall_ns)) : Json(nullptr)},
                    {"facts", facts_json(scope.facts)},
                    {"primary_bottleneck", text_or_null(scope.diagnosis.primary)},
                    {"user_facing_bottleneck", text_or_null(scope.diagnosis.user_facing)},
                    {"answers", one.rank == report.streams[report.answering].rank}});
  }
  return list;
}

}  // namespace

Json summary_inputs_json(const std::vector<ingest::SummaryInput>& inputs) {
  Json list = Json::array();
  for (const ingest::SummaryInput& input : inputs) {
    list.push_back({{"path", input.path}, {"bytes", input.bytes}, {"sha256", text_or_null(input.sha256)}});
  }
  return list;
}

Json run_json(const RunReport& report) {
  Json json{{"schema", "run_analysis_v1"}, {"source", report.source}, {"run_id", report.name}};
  json["job_name"] = text_or_null(report.job);
  json["status"] = text_or_null(report.status);
  json["evidence"] = report.evidence;
  json["event_count"] = events_of(report);
  json["step_count"] = report.run.step_numbers.size();
  json["selector"] = {{"policy", "default"}, {"skip_first_n", report.scope().skipped}, {"last_k", nullptr}};
  json["run"] = scope_json(report, report.run);
  json["steady_state"] = report.steady_state ? scope_json(report, *report.steady_state) : Json(nullptr);
  json["scope_comparison"] = scope_comparison_json(report.run, report.steady_state ? &*report.steady_state : nullptr);
  json["streams"] = streams_json(report);
  json["ranks"] = report.ranks ? ranks_json(*report.ranks) : Json(nullptr);
  json["trace"] = report.trace ? trace_json(*report.trace) : Json(nullptr);
  json["summary"] =
      report.summary ? Json{{"state", name_of(report.summary->state)}, {"reason", text_or_null(report.summary->reason)}} : Json(nullptr);
  json["notes"] = report.notes;
  if (const std::string note = report::summary_note(report); !note.empty()) json["notes"].push_back(note);
  return json;
}

}  // namespace frx::compose
