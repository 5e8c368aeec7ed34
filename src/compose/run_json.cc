#include <algorithm>
#include <cmath>

#include "compose/payloads.h"

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

// As the SDK writes it: JSON has no NaN and no infinities.
void put_loss(JsonObject& out, std::optional<double> loss) {
  if (!loss || std::isfinite(*loss)) return out.add("loss", exact(loss));
  out.add("loss", std::isnan(*loss) ? "nan" : *loss > 0 ? "inf" : "-inf");
}

void put_run_step(JsonObject& out, const StepTable& steps, std::size_t i) {
  const std::optional<double> median_ns = steps.median_kernel_ns[i];
  // Of a step in which any phase was recorded, those that were not took no time.
  const auto phase = [&](HostTime which) { return when(steps.phases_ns(i) > 0, steps.time(which, i).value_or(0)); };
  out.add("step_id", steps.ids[i], "status", steps.status.empty() ? "ok" : std::string_view(steps.status[i]), "step_kind",
          steps.kind.empty() ? std::nullopt : unless_empty(steps.kind[i]), "step_wall_time_ns", steps.wall_ns(i), "dataloader_wait_time_ns",
          steps.loader_wait_ns(i), "dataloader_wait_before_step_ns",
          when(steps.recorded(HostTime::loader), steps.time(HostTime::loader_before, i).value_or(0)), "h2d_copy_time_ns",
          steps.time(HostTime::host_to_device, i), "sync_wait_time_ns", steps.time(HostTime::sync, i), "forward_time_ns",
          phase(HostTime::forward), "backward_time_ns", phase(HostTime::backward), "optimizer_time_ns", phase(HostTime::optimizer),
          "gpu_active_fraction_proxy", report::gpu_active(steps, i), "shape_signature", steps.shape[i], "shape_changed",
          steps.shape_changed(i).value_or(false), "batch_size", steps.batch_size[i], "sequence_length", steps.sequence_length[i],
          "profiler_windows_exported", steps.windows[i].value_or(0), "kernel_count", exact(steps.kernels[i]),
          "median_cuda_kernel_duration_us", when(median_ns.has_value(), median_ns.value_or(0) / 1000), "small_kernel_fraction",
          steps.small_kernels[i]);
  put_loss(out, steps.loss[i]);
}

void put_summary(JsonObject& out, const RunScope& scope) {
  const auto& times = scope.times;
  const model::RunFacts& facts = scope.facts;
  out.add("average_gpu_utilization_pct", facts[RunFact::gpu_utilization_pct], "average_memory_utilization_pct",
          facts[RunFact::memory_utilization_pct], "utilization_instability_pct", facts[RunFact::utilization_instability_pct],
          "memory_pressure_peak_ratio", facts[RunFact::memory_peak_ratio], "throughput_steps_per_sec",
          times ? std::optional(times->per_second()) : std::nullopt, "step_time_avg_ns",
          times ? std::optional(static_cast<std::int64_t>(times->wall_ns)) : std::nullopt, "step_time_max_ns",
          times ? std::optional(times->longest_ns) : std::nullopt, "shape_volatility_ratio", facts[RunFact::shape_volatility],
          "profiler_windows_exported", facts[RunFact::profiler_windows], "kernel_count_per_step", facts[RunFact::kernels_per_step],
          "median_cuda_kernel_duration_us", facts[RunFact::median_kernel_us], "small_kernel_fraction",
          facts[RunFact::small_kernel_fraction], "dominant_stall_type", scope.dominant_stall);
}

// Their places in the table: those that completed count as warming up, and are left out.
std::vector<std::size_t> steps_of(const StepTable& table, std::size_t skipped) {
  std::vector<std::size_t> steps;
  if (skipped > table.size()) return steps;  // of a scope that there is not
  for (std::size_t i = 0, completed = 0; i < table.size(); ++i) {
    if (!table.completed(i) || completed++ >= skipped) steps.push_back(i);
  }
  return steps;
}

void put_scope(JsonObject& out, const RunReport& report, const RunScope& scope) {
  put_scope_name(out, scope);
  out.add("event_count", events_of(report), "step_count", scope.step_numbers.size());
  put_facts(out, scope.facts);
  out.list("per_step", steps_of(report.steps(), scope.skipped),
           [&](JsonObject& inner, std::size_t i) { put_run_step(inner, report.steps(), i); });
  out.object("run_summary", [&](JsonObject& inner) { put_summary(inner, scope); });
  put_run_verdict(out, scope);
}

void put_stream(JsonObject& out, const RunReport& report, const report::StreamOfRank& one) {
  const RunScope& scope = one.scope();
  const auto& times = scope.times;
  out.add("rank", one.rank, "scope", scope.name, "step_count", scope.step_numbers.size(), "step_time_avg_ns",
          times ? std::optional(static_cast<std::int64_t>(times->wall_ns)) : std::nullopt);
  put_facts(out, scope.facts);
  out.add("primary_bottleneck", unless_empty(scope.diagnosis.primary), "user_facing_bottleneck", unless_empty(scope.diagnosis.user_facing),
          "answers", one.rank == report.streams[report.answering].rank);
}

}  // namespace

void put_run(JsonObject& out, const RunReport& report) {
  const auto scope = [&](JsonObject& inner, const RunScope& one) { put_scope(inner, report, one); };
  std::vector<std::string> notes = report.notes;
  if (std::string note = report::summary_note(report); !note.empty()) notes.push_back(std::move(note));
  out.add("schema", "run_analysis_v1", "source", report.source, "run_id", report.name, "job_name", unless_empty(report.job), "status",
          unless_empty(report.status), "evidence", report.evidence, "event_count", events_of(report), "step_count",
          report.run.step_numbers.size());
  put_selector(out, report.scope().skipped);
  out.object("run", &report.run, scope);
  put_steady_state(out, report, scope);
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
