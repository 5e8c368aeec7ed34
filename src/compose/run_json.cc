#include <algorithm>

#include "compose/json.h"
#include "compose/ranks_report.h"
#include "compose/run_report.h"
#include "compose/run_scope_json.h"
#include "compose/trace_report.h"

namespace frx::compose {
namespace {

using model::HostTime;
using model::RunFact;
using model::StepTable;
using report::RunReport;
using report::RunScope;

// Of what the answer is made of.
std::uint64_t events_of(const RunReport& report) {
  return report.evidence == "profiler trace" && report.trace ? report.trace->events : report.record.events;
}

// Of a step in which any phase was recorded, those that were not took no time.
Json phase_json(const StepTable& steps, HostTime phase, std::size_t step) {
  return steps.phases_ns(step) > 0 ? Json(steps.time(phase, step).value_or(0)) : Json(nullptr);
}

Json step_json(const StepTable& steps, std::size_t i) {
  const bool has_loader = steps.recorded(HostTime::loader);
  const std::optional<double> median_ns = steps.median_kernel_ns[i];
  return {{"step_id", steps.ids[i]},
          {"status", steps.status.empty() ? "ok" : steps.status[i]},
          {"step_kind", steps.kind.empty() ? Json(nullptr) : text_or_null(steps.kind[i])},
          {"step_wall_time_ns", steps.wall_ns(i)},
          {"dataloader_wait_time_ns", or_null(steps.loader_wait_ns(i))},
          {"dataloader_wait_before_step_ns", has_loader ? Json(steps.time(HostTime::loader_before, i).value_or(0)) : Json(nullptr)},
          {"h2d_copy_time_ns", or_null(steps.time(HostTime::host_to_device, i))},
          {"sync_wait_time_ns", or_null(steps.time(HostTime::sync, i))},
          {"forward_time_ns", phase_json(steps, HostTime::forward, i)},
          {"backward_time_ns", phase_json(steps, HostTime::backward, i)},
          {"optimizer_time_ns", phase_json(steps, HostTime::optimizer, i)},
          {"gpu_active_fraction_proxy", number(report::gpu_active(steps, i))},
          {"shape_signature", or_null(steps.shape[i])},
          {"shape_changed", steps.shape_changed(i).value_or(false)},
          {"batch_size", or_null(steps.batch_size[i])},
          {"sequence_length", or_null(steps.sequence_length[i])},
          {"profiler_windows_exported", steps.windows[i].value_or(0)},
          {"kernel_count", or_null(steps.kernels[i])},
          {"median_cuda_kernel_duration_us", median_ns ? number(*median_ns / 1000) : Json(nullptr)},
          {"small_kernel_fraction", number(steps.small_kernels[i])},
          {"loss", or_null(steps.loss[i])}};
}

Json summary_json(const RunScope& scope) {
  const auto& times = scope.times;
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
  const StepTable& table = report.steps();
  for (std::size_t i = 0, completed = 0; i < table.size(); ++i) {
    if (table.completed(i) && completed++ < scope.skipped) continue;
    steps.push_back(step_json(table, i));
  }
  return {{"scope", {{"name", scope.name}, {"step_ids", scope.step_numbers}}},
          {"event_count", events_of(report)},
          {"step_count", scope.step_numbers.size()},
          {"facts", facts_json(scope.facts)},
          {"per_step", std::move(steps)},
          {"run_summary", summary_json(scope)},
          {"bottlenecks", bottlenecks_json(scope)},
          {"diagnosis", diagnosis_json(scope)},
          {"framework_abstraction_tax", tax_json(scope)}};
}

Json streams_json(const RunReport& report) {
  Json list = Json::array();
  for (const report::StreamOfRank& one : report.streams) {
    const RunScope& scope = one.scope();
    const auto& times = scope.times;
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
