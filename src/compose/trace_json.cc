#include <algorithm>

#include "compose/payloads.h"
#include "report/time_parts.h"

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

// A step as the documents have it: nanoseconds of the program, kernels, what share of it the GPU was busy. A range that
// was never opened was not recorded.
void put_trace_step(JsonObject& out, const StepTable& steps, std::size_t i) {
  const std::optional<double> median_ns = steps.median_kernel_ns[i];
  const auto phase = [&](HostTime which) { return unless_zero(steps.time(which, i).value_or(0)); };
  out.add("step_id", steps.ids[i], "status", "ok", "step_wall_time_ns", steps.wall_ns(i), "dataloader_wait_time_ns",
          steps.loader_wait_ns(i), "sync_wait_time_ns", steps.time(HostTime::sync, i), "forward_time_ns", phase(HostTime::forward),
          "backward_time_ns", phase(HostTime::backward), "optimizer_time_ns", phase(HostTime::optimizer), "kernel_count",
          static_cast<std::uint64_t>(steps.kernels[i].value_or(0)), "median_cuda_kernel_duration_us",
          when(median_ns.has_value(), median_ns.value_or(0) / 1000), "small_kernel_fraction", steps.small_kernels[i], "shape_changed",
          steps.shape_changed(i), "h2d_copy_time_ns", steps.time(HostTime::host_to_device, i), "gpu_active_fraction_proxy",
          steps.gpus.empty() ? std::nullopt : report::gpu_active(steps, i));
}

void put_summary(JsonObject& out, const TraceReport& report, const RunScope& scope) {
  const auto& times = scope.times;
  const auto& utilization = scope.facts[RunFact::gpu_utilization_pct];
  out.add("average_gpu_utilization_pct", utilization, "utilization_source",
          when<std::string_view>(utilization.has_value(), "busy share of the trace"), "memory_pressure_peak_ratio",
          scope.facts[RunFact::memory_peak_ratio], "throughput_steps_per_sec", times ? std::optional(times->per_second()) : std::nullopt,
          "step_time_avg_ns", times ? std::optional(static_cast<std::int64_t>(times->wall_ns)) : std::nullopt, "step_time_max_ns",
          times ? std::optional(times->longest_ns) : std::nullopt, "shape_volatility_ratio", scope.facts[RunFact::shape_volatility],
          "profiler_windows_exported", report.kernels > 0 ? 1 : 0, "kernel_count_per_step", scope.facts[RunFact::kernels_per_step],
          "median_cuda_kernel_duration_us", scope.facts[RunFact::median_kernel_us], "small_kernel_fraction",
          scope.facts[RunFact::small_kernel_fraction], "dominant_stall_type", scope.dominant_stall);
}

void put_scope(JsonObject& out, const TraceReport& report, const RunScope& scope) {
  const StepTable& table = report.processes.front();
  const auto steps = std::views::iota(std::min(scope.skipped, table.size()), table.size());
  put_scope_name(out, scope);
  out.add("step_count", scope.step_numbers.size());
  put_facts(out, scope.facts);
  out.list("per_step", steps, [&](JsonObject& inner, std::size_t i) { put_trace_step(inner, table, i); });
  out.object("run_summary", [&](JsonObject& inner) { put_summary(inner, report, scope); });
  put_run_verdict(out, scope);
}

void put_time(JsonObject& out, const GpuTime& time) {
  out.add("span_ns", time.span, "compute_ns", time.compute, "exposed_communication_ns", time.communication, "exposed_copy_ns", time.copy,
          "exposed_host_to_device_ns", time.host_to_device, "idle_ns", time.idle);
  out.object("idle_by_cause_ns", [&](JsonObject& inner) {
    for (std::size_t i = 0; i < model::idle_cause_count; ++i) inner.add(model::idle_cause_names[i], time.idle_by[i]);
  });
  out.add("communication_ns", time.all_communication, "communication_overlap",
          when(time.all_communication > 0, share(time.all_communication - time.communication, time.all_communication)), "host_to_device_ns",
          time.all_host_to_device);
}

// The parts of one step, as the chart of the text has them.
void put_gpu_step(JsonObject& out, std::int64_t id, const GpuTime& time) {
  const std::int64_t input = time.idle_because(model::IdleCause::input);
  out.add("step_id", id, "span_ns", time.span, "compute_ns", time.compute, "exposed_communication_ns", time.communication,
          "exposed_copy_ns", time.copy, "idle_input_ns", input, "idle_other_ns", time.idle - input);
}

void put_gap(JsonObject& out, const model::IdleGap& gap, const StepTable& steps) {
  out.add("begin_ns", gap.begin, "duration_ns", gap.length(), "step_id", steps.ids[gap.step], "cause", name_of(gap.cause()), "during",
          unless_empty(gap.during), "is_one_off", gap.is_one_off);
}

// With the process it belongs to.
void put_gpus(JsonObject& out, const TraceReport& report) {
  std::vector<std::pair<const StepTable*, const model::GpuSteps*>> tracks;
  for (const StepTable& process : report.processes) {
    for (const model::GpuSteps& gpu : process.gpus) tracks.emplace_back(&process, &gpu);
  }
  out.list("gpus", std::views::iota(std::size_t{0}, tracks.size()), [&](JsonObject& inner, std::size_t i) {
    inner.add("device", tracks[i].second->device, "pid", unless_empty(tracks[i].first->pid));
    inner.object("time", [&](JsonObject& time) { put_time(time, model::total_of(*tracks[i].second)); });
    inner.list("steps", std::views::iota(std::size_t{0}, tracks[i].second->steps.size()),
               [&](JsonObject& step, std::size_t row) { put_gpu_step(step, tracks[i].first->ids[row], tracks[i].second->steps[row]); });
    inner.list("idle_gaps", report::longest_gaps(*tracks[i].second),
               [&](JsonObject& gap, const model::IdleGap* one) { put_gap(gap, *one, *tracks[i].first); });
    put_facts(inner, report.gpus[i].facts);
    inner.add("primary_bottleneck", unless_empty(report.gpus[i].primary));
  });
}

void put_times_of(JsonObject& out, std::string_view key, const std::vector<report::TimeOf>& rows, std::int64_t all_ns) {
  out.list(key, rows, [&](JsonObject& inner, const report::TimeOf& row) {
    inner.add("name", row.name, "gpu_ns", row.gpu_ns, "share", share(row.gpu_ns, all_ns), "count", row.count, "min_ns", row.shortest_ns,
              "max_ns", row.longest_ns);
  });
}

void put_device(JsonObject& out, const model::TracedGpu& gpu) {
  out.add("id", gpu.id, "name", unless_empty(gpu.name), "memory_bytes", unless_zero(gpu.memory_bytes), "compute_capability",
          gpu.cc ? std::optional(fmt::format("{}.{}", gpu.cc->major, gpu.cc->minor)) : std::nullopt);
}

void put_program(JsonObject& out, const model::ProgramTraits& program) {
  out.add("is_compiled", program.is_compiled, "compiled_regions_per_step", program.compiled_regions, "graph_breaks_per_step",
          program.graph_breaks, "replays_graphs", program.replays_graphs, "is_inference", program.is_inference, "is_amd", program.is_amd,
          "is_pytorch", program.is_pytorch, "pinned_copy_share", program.pinned_copy_share);
}

void put_recording(JsonObject& out, const TraceReport& report) {
  const StepTable& steps = report.processes.front();
  out.add("events", report.events, "kernels", report.kernels, "kernel_names", report.kernel_names, "kernels_with_launch",
          report.kernels_with_launch, "kernels_with_operator", report.kernels_with_op, "backward_kernels", report.backward_kernels,
          "backward_kernels_with_forward_operator", report.backward_kernels_joined, "copies", report.copies, "runtime_calls", report.calls,
          "operator_calls", report.operators, "step_source", name_of(steps.source), "step_name", unless_empty(steps.name),
          "step_times_until", steps.program_ns.empty() ? "program" : "gpu", "step_time_in_program_avg_ns", report.step_time_in_program_ns(),
          "rank", report.facts.rank, "world_size", report.facts.world_size, "backend", unless_empty(report.facts.backend), "cuda_runtime",
          unless_empty(report.facts.runtime_version));
  out.list("devices", report.facts.gpus, put_device);
  out.object("program", [&](JsonObject& inner) { put_program(inner, report.program); });
}

void put_cpu(JsonObject& out, const report::CpuTimes& cpu) {
  out.add("window_ns", cpu.window_ns, "operators_ns", cpu.operators_ns, "operator_names", cpu.operator_names, "gpu_evidence",
          unless_empty(cpu.gpu_evidence));
  out.list("threads", cpu.threads, [](JsonObject& inner, const derive::trace::OperatorThread& thread) {
    inner.add("pid", thread.pid, "tid", thread.tid, "operators_ns", thread.operators_ns, "calls", thread.calls);
  });
  out.list("operators", cpu.operators, [&](JsonObject& inner, const derive::trace::SelfTime& row) {
    inner.add("name", row.name, "calls", row.calls, "self_ns", row.self_ns, "self_share", share(row.self_ns, cpu.operators_ns), "total_ns",
              row.total_ns, "threads", row.threads);
  });
}

}  // namespace

void put_selector(JsonObject& out, std::size_t skipped) {
  out.object("selector", [&](JsonObject& inner) { inner.add("policy", "default", "skip_first_n", skipped, "last_k", nullptr); });
}

void put_trace(JsonObject& out, const TraceReport& report) {
  const auto scope = [&](JsonObject& inner, const RunScope& one) { put_scope(inner, report, one); };
  out.add("schema", "trace_analysis_v1", "filename", report.source, "event_count", report.events, "step_count", report.step_count());
  put_selector(out, report.scope().skipped);
  out.object("trace", [&](JsonObject& inner) { put_recording(inner, report); });
  out.object("run", &report.run, scope);
  put_steady_state(out, report, scope);
  put_scope_comparison(out, report.run, report.steady_state ? &*report.steady_state : nullptr);
  put_gpus(out, report);
  put_times_of(out, "top_operators", report.top_operators, report.all_work_ns);
  put_times_of(out, "top_backward", report.top_backward, report.all_work_ns);
  put_times_of(out, "top_kernels", report.top_kernels, report.all_work_ns);
  out.object("gpu_use", report.use, put_gpu_use);
  out.list("gpu_metrics", report.gpu_metrics, [](JsonObject& inner, const model::GpuMetric& one) {
    inner.add("device", one.device, "name", one.name, "samples", one.samples, "mean", one.mean, "max", one.largest, "busy_samples",
              one.busy_samples, "busy_mean", one.busy_mean);
  });
  out.object("cpu", report.cpu, put_cpu);
  out.add("notes", report.notes);
}

}  // namespace frx::compose
