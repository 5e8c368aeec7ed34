#include <algorithm>

#include "compose/payloads.h"

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

void put_step(JsonObject& out, const RunRecord& record, const RunStep& step) {
  const std::int64_t phases = step.forward_ns + step.backward_ns + step.optimizer_ns;
  const double active = step.wall_ns > 0 ? std::clamp(static_cast<double>(phases) / static_cast<double>(step.wall_ns), 0.0, 1.0) : 0;
  out.add("step_id", step.id, "status", step.status, "step_kind", unless_empty(step.kind), "step_wall_time_ns", step.wall_ns,
          "dataloader_wait_time_ns", when(record.has_loader, step.loader_ns + step.loader_before_ns),
          "dataloader_wait_before_step_ns", when(record.has_loader, step.loader_before_ns),
          "h2d_copy_time_ns", when(record.has_copies, step.host_to_device_ns), "sync_wait_time_ns", when(record.has_waits, step.sync_ns),
          "forward_time_ns", when(phases > 0, step.forward_ns), "backward_time_ns", when(phases > 0, step.backward_ns),
          "optimizer_time_ns", when(phases > 0, step.optimizer_ns),
          "gpu_active_fraction_proxy", step.gpu_active ? step.gpu_active : when(phases > 0, active), "shape_signature", step.shape,
          "shape_changed", step.shape_changed, "batch_size", step.batch_size, "sequence_length", step.sequence_length,
          "profiler_windows_exported", step.windows, "kernel_count", exact(step.kernels),
          "median_cuda_kernel_duration_us", step.median_kernel_us, "small_kernel_fraction", step.small_kernel_fraction,
          "loss", exact(step.loss));
}

void put_summary(JsonObject& out, const RunReport& report, const RunScope& scope) {
  const auto times = report::step_times(report.record, scope);
  const model::RunFacts& facts = scope.facts;
  out.add("average_gpu_utilization_pct", facts[RunFact::gpu_utilization_pct],
          "average_memory_utilization_pct", facts[RunFact::memory_utilization_pct],
          "utilization_instability_pct", facts[RunFact::utilization_instability_pct],
          "memory_pressure_peak_ratio", facts[RunFact::memory_peak_ratio],
          "throughput_steps_per_sec", times ? std::optional(times->per_second()) : std::nullopt,
          "step_time_avg_ns", times ? std::optional(static_cast<std::int64_t>(times->wall_ns)) : std::nullopt,
          "step_time_max_ns", times ? std::optional(times->longest_ns) : std::nullopt,
          "shape_volatility_ratio", facts[RunFact::shape_volatility], "profiler_windows_exported", facts[RunFact::profiler_windows],
          "kernel_count_per_step", facts[RunFact::kernels_per_step], "median_cuda_kernel_duration_us", facts[RunFact::median_kernel_us],
          "small_kernel_fraction", facts[RunFact::small_kernel_fraction], "dominant_stall_type", scope.dominant_stall);
}

std::vector<const RunStep*> steps_of(const RunRecord& record, std::size_t skipped) {
  std::vector<const RunStep*> steps;
  std::size_t completed = 0;
  for (const RunStep& step : record.steps) {
    if (!step.completed() || completed++ >= skipped) steps.push_back(&step);
  }
  return steps;
}

void put_scope(JsonObject& out, const RunReport& report, const RunScope& scope) {
  put_scope_name(out, scope);
  out.add("event_count", events_of(report), "step_count", scope.step_numbers.size());
  put_facts(out, scope.facts);
  out.list("per_step", steps_of(report.record, scope.skipped),
           [&](JsonObject& inner, const RunStep* step) { put_step(inner, report.record, *step); });
  out.object("run_summary", [&](JsonObject& inner) { put_summary(inner, report, scope); });
  put_run_verdict(out, scope);
}

void put_stream(JsonObject& out, const RunReport& report, const report::StreamOfRank& one) {
  const RunScope& scope = one.scope();
  const auto times = report::step_times(one.record, scope);
  out.add("rank", one.rank, "scope", scope.name, "step_count", scope.step_numbers.size(),
          "step_time_avg_ns", times ? std::optional(static_cast<std::int64_t>(times->wall_ns)) : std::nullopt);
  put_facts(out, scope.facts);
  out.add("primary_bottleneck", unless_empty(scope.diagnosis.primary), "user_facing_bottleneck", unless_empty(scope.diagnosis.user_facing),
          "answers", one.rank == report.streams[report.answering].rank);
}

}  // namespace

void put_run(JsonObject& out, const RunReport& report) {
  const auto scope = [&](JsonObject& inner, const RunScope& one) { put_scope(inner, report, one); };
  std::vector<std::string> notes = report.notes;
  if (std::string note = report::summary_note(report); !note.empty()) notes.push_back(std::move(note));
  out.add("schema", "run_analysis_v1", "source", report.source, "run_id", report.name, "job_name", unless_empty(report.job),
          "status", unless_empty(report.status), "evidence", report.evidence, "event_count", events_of(report),
          "step_count", report.run.step_numbers.size());
  put_selector(out, report.scope().skipped);
  out.object("run", &report.run, scope);
  out.object("steady_state", report.steady_state, scope);
  put_scope_comparison(out, report.run, report.steady_state ? &*report.steady_state : nullptr);
  out.list("streams", report.streams, [&](JsonObject& inner, const report::StreamOfRank& one) { put_stream(inner, report, one); });
  out.object("ranks", report.ranks, put_ranks);
  out.object("trace", report.trace, put_trace);
  out.object("summary", report.summary, [](JsonObject& inner, const report::SummaryCheck& summary) {
    inner.add("state", name_of(summary.state), "reason", unless_empty(summary.reason));
  });
  out.add("notes", notes);
}

}  // namespace frx::compose
