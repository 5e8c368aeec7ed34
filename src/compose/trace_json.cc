#include <algorithm>

#include "compose/json.h"
#include "compose/run_scope_json.h"
#include "compose/trace_report.h"

namespace frx::compose {
namespace {

using model::GpuTime;
using model::HostTime;
using model::RunFact;
using model::StepTable;
using report::RunScope;
using report::TraceReport;

double share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0);
}

// A range that was never opened was not recorded.
Json unless_zero(std::optional<std::int64_t> ns) { return ns.value_or(0) == 0 ? Json(nullptr) : Json(*ns); }

// A step as the documents have it: nanoseconds of the program, kernels, what share of it the GPU was busy.
Json step_json(const StepTable& steps, std::size_t i) {
  const std::optional<double> median_ns = steps.median_kernel_ns[i];
  return {{"step_id", steps.ids[i]},
          {"status", "ok"},
          {"step_wall_time_ns", steps.wall_ns(i)},
          {"dataloader_wait_time_ns", or_null(steps.loader_wait_ns(i))},
          {"sync_wait_time_ns", or_null(steps.time(HostTime::sync, i))},
          {"forward_time_ns", unless_zero(steps.time(HostTime::forward, i))},
          {"backward_time_ns", unless_zero(steps.time(HostTime::backward, i))},
          {"optimizer_time_ns", unless_zero(steps.time(HostTime::optimizer, i))},
          {"kernel_count", static_cast<std::uint64_t>(steps.kernels[i].value_or(0))},
          {"median_cuda_kernel_duration_us", median_ns ? number(*median_ns / 1000) : Json(nullptr)},
          {"small_kernel_fraction", number(steps.small_kernels[i])},
          {"shape_changed", or_null(steps.shape_changed(i))},
          {"h2d_copy_time_ns", or_null(steps.time(HostTime::host_to_device, i))},
          {"gpu_active_fraction_proxy", steps.gpus.empty() ? Json(nullptr) : number(report::gpu_active(steps, i))}};
}

Json summary_json(const TraceReport& report, const RunScope& scope) {
  const auto& times = scope.times;
  const auto fact = [&](RunFact name) { return number(scope.facts[name]); };
  return {{"average_gpu_utilization_pct", fact(RunFact::gpu_utilization_pct)},
          {"utilization_source", scope.facts[RunFact::gpu_utilization_pct] ? Json("busy share of the trace") : Json(nullptr)},
          {"memory_pressure_peak_ratio", fact(RunFact::memory_peak_ratio)},
          {"throughput_steps_per_sec", times ? number(times->per_second()) : Json(nullptr)},
          {"step_time_avg_ns", times ? Json(static_cast<std::int64_t>(times->wall_ns)) : Json(nullptr)},
          {"step_time_max_ns", times ? Json(times->longest_ns) : Json(nullptr)},
          {"shape_volatility_ratio", fact(RunFact::shape_volatility)},
          {"profiler_windows_exported", report.kernels > 0 ? 1 : 0},
          {"kernel_count_per_step", fact(RunFact::kernels_per_step)},
          {"median_cuda_kernel_duration_us", fact(RunFact::median_kernel_us)},
          {"small_kernel_fraction", fact(RunFact::small_kernel_fraction)},
          {"dominant_stall_type", scope.dominant_stall}};
}

Json scope_json(const TraceReport& report, const RunScope& scope) {
  const StepTable& table = report.processes.front();
  Json steps = Json::array();
  for (std::size_t i = scope.skipped; i < table.size(); ++i) steps.push_back(step_json(table, i));
  return {{"scope", {{"name", scope.name}, {"step_ids", scope.step_numbers}}},
          {"step_count", scope.step_numbers.size()},
          {"facts", facts_json(scope.facts)},
          {"per_step", std::move(steps)},
          {"run_summary", summary_json(report, scope)},
          {"bottlenecks", bottlenecks_json(scope)},
          {"diagnosis", diagnosis_json(scope)},
          {"framework_abstraction_tax", tax_json(scope)}};
}

Json gpu_time_json(const GpuTime& time) {
  Json idle = Json::object();
  for (std::size_t i = 0; i < model::idle_cause_count; ++i) idle[std::string(model::idle_cause_names[i])] = time.idle_by[i];
  return {{"span_ns", time.span},
          {"compute_ns", time.compute},
          {"exposed_communication_ns", time.communication},
          {"exposed_copy_ns", time.copy},
          {"exposed_host_to_device_ns", time.host_to_device},
          {"idle_ns", time.idle},
          {"idle_by_cause_ns", std::move(idle)},
          {"communication_ns", time.all_communication},
          {"communication_overlap",
           time.all_communication > 0 ? number(share(time.all_communication - time.communication, time.all_communication)) : Json(nullptr)},
          {"host_to_device_ns", time.all_host_to_device}};
}

Json gpus_json(const TraceReport& report) {
  Json list = Json::array();
  std::size_t verdict = 0;
  for (const StepTable& process : report.processes) {
    for (const model::GpuSteps& gpu : process.gpus) {
      Json json{{"device", gpu.device}, {"pid", text_or_null(process.pid)}, {"time", gpu_time_json(model::total_of(gpu))}};
      json["facts"] = facts_json(report.gpus[verdict].facts);
      json["primary_bottleneck"] = text_or_null(report.gpus[verdict++].primary);
      list.push_back(std::move(json));
    }
  }
  return list;
}

Json times_json(const std::vector<report::TimeOf>& rows) {
  Json list = Json::array();
  for (const report::TimeOf& row : rows) {
    list.push_back(
        {{"name", row.name}, {"gpu_ns", row.gpu_ns}, {"count", row.count}, {"min_ns", row.shortest_ns}, {"max_ns", row.longest_ns}});
  }
  return list;
}

Json trace_facts_json(const TraceReport& report) {
  Json gpus = Json::array();
  for (const model::TracedGpu& gpu : report.facts.gpus) {
    gpus.push_back({{"id", gpu.id},
                    {"name", text_or_null(gpu.name)},
                    {"memory_bytes", gpu.memory_bytes == 0 ? Json(nullptr) : Json(gpu.memory_bytes)},
                    {"compute_capability", gpu.cc ? Json(fmt::format("{}.{}", gpu.cc->major, gpu.cc->minor)) : Json(nullptr)}});
  }
  const StepTable& steps = report.processes.front();
  return {{"events", report.events},
          {"kernels", report.kernels},
          {"kernel_names", report.kernel_names},
          {"kernels_with_launch", report.kernels_with_launch},
          {"kernels_with_operator", report.kernels_with_op},
          {"backward_kernels", report.backward_kernels},
          {"backward_kernels_with_forward_operator", report.backward_kernels_joined},
          {"copies", report.copies},
          {"runtime_calls", report.calls},
          {"operator_calls", report.operators},
          {"step_source", name_of(steps.source)},
          {"step_name", text_or_null(steps.name)},
          {"rank", or_null(report.facts.rank)},
          {"world_size", or_null(report.facts.world_size)},
          {"backend", text_or_null(report.facts.backend)},
          {"cuda_runtime", text_or_null(report.facts.runtime_version)},
          {"devices", std::move(gpus)}};
}

}  // namespace

Json trace_json(const TraceReport& report) {
  Json json{{"schema", "trace_analysis_v1"}, {"filename", report.source}};
  json["event_count"] = report.events;
  json["step_count"] = report.step_count();
  json["selector"] = {{"policy", "default"}, {"skip_first_n", report.scope().skipped}, {"last_k", nullptr}};
  json["trace"] = trace_facts_json(report);
  json["run"] = scope_json(report, report.run);
  json["steady_state"] = report.steady_state ? scope_json(report, *report.steady_state) : Json(nullptr);
  json["scope_comparison"] = scope_comparison_json(report.run, report.steady_state ? &*report.steady_state : nullptr);
  json["gpus"] = gpus_json(report);
  json["top_operators"] = times_json(report.top_operators);
  json["top_backward"] = times_json(report.top_backward);
  json["top_kernels"] = times_json(report.top_kernels);
  json["notes"] = report.notes;
  return json;
}

}  // namespace frx::compose
