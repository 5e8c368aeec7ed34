#include <cmath>

#include "base/text.h"
#include "compose/tune.h"
#include "compose/tune_text.h"
#include "compose/tune_words.h"

namespace frx::compose {
namespace {

using answer::exact;
using answer::JsonObject;
using answer::unless_empty;
using report::TuneReport;
using report::TuneRun;
using report::TuneTrial;

// {"FRX_NUM_WORKERS": "4"}
void put_tune_variables(JsonObject& out, const report::Variables& variables) {
  for (const auto& [name, value] : variables) out.add(name, value);
}

void put_tune_window(JsonObject& out, const report::TuneWindow& window) {
  out.add("warmup_steps", window.warmup_steps, "measurement_steps", window.measurement_steps, "repeat_count", window.repeat_count,
          "timeout_s", exact(window.timeout_s));
}

void put_tune_quality(JsonObject& out, const report::TuneQuality& quality) {
  out.add("nan_count", quality.nan_count, "inf_count", quality.inf_count, "initial_loss", exact(quality.initial_loss), "final_loss",
          exact(quality.final_loss), "loss_slope", exact(quality.loss_slope));
  for (const auto& [name, value] : quality.reported) out.add(name, exact(value));
}

void put_tuned_gpu(JsonObject& out, const model::GpuInterval& gpu) {
  const auto& power = gpu.power_watts;
  out.add("index", gpu.index, "name", gpu.name, "driver", unless_empty(gpu.driver), "source", unless_empty(gpu.source), "mean_sm_clock_mhz",
          exact(gpu.mean_sm_clock_mhz), "mean_memory_clock_mhz", exact(gpu.mean_memory_clock_mhz), "mean_temperature_c",
          exact(gpu.mean_temperature_c), "mean_power_w", exact(power ? std::optional(power->mean) : std::nullopt), "memory_peak_bytes",
          answer::rounded(gpu.memory_peak_bytes, 0), "memory_total_bytes", answer::rounded(gpu.memory_total_bytes, 0), "slowed_by",
          gpu.slowed_by);
}

void put_tuned_run(JsonObject& out, const TuneRun& run) {
  out.add("number", run.number, "exit_code", run.exit_code, "failure", unless_empty(run.failure), "stopped", unless_empty(run.stopped),
          "scope", unless_empty(run.scope), "step_count", run.step_count);
  std::vector<answer::Rounded> times;
  for (const double time : run.step_times_ms) times.push_back(exact(time));
  out.add("step_times_ms", times, "batch_size", exact(run.batch_size), "throughput_steps_per_sec", exact(run.throughput_steps_per_s),
          "throughput_samples_per_sec", exact(run.throughput_samples_per_s), "gpu_utilization_pct", exact(run.gpu_utilization_pct),
          "peak_memory_ratio", exact(run.peak_memory_ratio), "dominant_stall", unless_empty(run.dominant_stall));
  out.object("quality", [&](JsonObject& inner) { put_tune_quality(inner, run.quality); });
  out.list("gpus", run.gpus, put_tuned_gpu);
  out.add("throttled", run.was_throttled(), "started_at", unless_empty(run.started_at), "seconds", exact(run.seconds), "folder",
          unless_empty(run.folder));
}

void put_tune_action(JsonObject& out, const report::TuneAction& action) {
  out.add("action_id", action.id, "type", action.type, "description", action.detail, "tier", static_cast<int>(action.tier), "risk",
          report::name_of(action.risk), "reversible", action.reversible, "requires_user_approval", action.requires_approval);
  out.object("env_vars", [&](JsonObject& inner) { put_tune_variables(inner, action.variables); });
  out.add("preconditions", action.preconditions, "expected_benefit", unless_empty(action.expected_benefit), "rollback",
          unless_empty(action.rollback));
}

void put_tune_speedup(JsonObject& out, const derive::tune::Speedup& speedup) {
  const auto bound = [](double value) { return exact(std::isfinite(value) && value > -1 ? std::optional(value) : std::nullopt); };
  out.add("value", exact(speedup.value), "low", bound(speedup.low), "high", bound(speedup.high), "confidence",
          exact(derive::tune::SpeedupRules{}.confidence), "baseline_steps", speedup.first, "steps", speedup.second);
}

// Of several runs those of the first; the others have theirs below runs[].folder.
void put_tune_paths(JsonObject& out, const TuneTrial& trial) {
  const bool was_run = !trial.runs.empty();
  const std::string folder = was_run && !trial.runs.front().folder.empty() ? trial.runs.front().folder : folder_of(trial);
  const auto below = [&](std::string_view file) { return fmt::format("{}/{}", folder, file); };
  out.add("config", below("config.yaml"), "benchmark_window", below("benchmark_window.json"), "metrics", folder_of(trial) + "/metrics.json",
          "stdout", below("stdout.log"), "stderr", below("stderr.log"), "trace", answer::when(was_run, below("raw/trace.jsonl")), "summary",
          answer::when(was_run, below("derived/summary.json")));
}

// What the baseline measured, and every trial.
void put_tuned_measurement(JsonObject& out, const TuneTrial& trial) {
  out.add("config_id", trial.candidate.id, "label", trial.candidate.label, "exit_code", trial.exit_code, "throughput_steps_per_sec",
          exact(trial.throughput), "throughput_samples_per_sec", exact(trial.samples_per_s), "avg_gpu_utilization_pct",
          exact(trial.gpu_utilization_pct), "avg_step_time_ms", exact(trial.step_time_ms), "peak_memory_ratio",
          exact(trial.peak_memory_ratio), "dominant_stall", unless_empty(trial.dominant_stall), "step_count", trial.step_count);
  out.object("env_vars", [&](JsonObject& inner) { put_tune_variables(inner, trial.candidate.variables()); });
  out.object("quality_metrics", [&](JsonObject& inner) { put_tune_quality(inner, trial.quality); });
  std::vector<answer::Rounded> throughputs, step_times;
  for (const TuneRun& run : trial.runs) {
    throughputs.push_back(exact(run.throughput_steps_per_s));
    const bool is_known = run.throughput_steps_per_s.value_or(0) > 0;
    step_times.push_back(exact(is_known ? std::optional(1000 / *run.throughput_steps_per_s) : std::nullopt));
  }
  out.add("repeat_count", trial.runs.size(), "throughput_values", throughputs, "step_time_values_ms", step_times, "throughput_stddev",
          exact(trial.throughput_stddev));
}

// What was concluded, and what it was concluded from.
void put_tuned_judgement(JsonObject& out, const TuneTrial& trial) {
  out.add("passed_guards", trial.passed_guards(), "guard_failures", trial.guard_failures, "throughput_delta", exact(trial.throughput_delta),
          "by_samples", trial.by_samples);
  out.object("speedup", trial.speedup, put_tune_speedup);
  out.add("verdict", answer::when(!trial.runs.empty(), verdict_name(trial.verdict)), "noise_band", exact(trial.noise_band),
          "confidence_label", unless_empty(trial.confidence_label), "comparison_notes", trial.comparison_notes);
  out.add("artifacts_path", folder_of(trial));
  out.object("artifact_paths", [&](JsonObject& inner) { put_tune_paths(inner, trial); });
  out.add("benchmark_stage", trial.stage == report::TuneStage::race ? "race" : "full", "eligible_for_promotion", trial.is_eligible,
          "screening_decision", unless_empty(trial.screening_decision), "tier", static_cast<int>(trial.candidate.tier()), "risk",
          report::name_of(trial.candidate.risk()), "combination", !trial.candidate.is_documented);
  out.list("actions", trial.candidate.actions, put_tune_action);
  out.object("benchmark_window", [&](JsonObject& inner) { put_tune_window(inner, trial.window); });
  out.list("runs", trial.runs, put_tuned_run);
  out.list("repeated_runs", trial.repeated, put_tuned_run);
}

void put_tuned_trial(JsonObject& out, const TuneTrial& trial) {
  put_tuned_measurement(out, trial);
  put_tuned_judgement(out, trial);
}

void put_tune_thresholds(JsonObject& out, const report::TuneLimits& limits) {
  out.add("min_speedup", exact(limits.min_speedup), "max_memory_ratio", exact(limits.max_memory_ratio), "max_step_time_regression",
          exact(limits.max_step_time_regression), "require_clean_exit", limits.require_clean_exit, "require_sufficient_steps",
          limits.require_sufficient_steps, "require_above_noise_band", limits.require_above_noise_band, "fewest_steps", limits.fewest_steps,
          "memory_headroom", exact(limits.memory_headroom), "quality_checks", limits.quality_checks, "finite_loss", limits.finite_loss,
          "max_final_loss_regression", exact(limits.max_final_loss_regression), "max_loss_divergence", exact(limits.max_loss_divergence),
          "output_abs_tolerance", exact(limits.output_abs_tolerance));
}

void put_tuning_settings(JsonObject& out, const report::TuneSettings& settings) {
  out.object("window", [&](JsonObject& inner) { put_tune_window(inner, settings.window); });
  out.object("race_window", [&](JsonObject& inner) { put_tune_window(inner, settings.race_window); });
  out.add("max_trials", settings.max_trials, "race", settings.race, "race_promote_count", settings.race_promote_count, "safe",
          settings.safe, "allow_risky_actions", settings.allow_risky_actions, "bottleneck", unless_empty(settings.bottleneck), "search",
          settings.search, "sample_interval_ms", settings.sample_interval_ms);
}

void put_tuned_machine(JsonObject& out, const report::TuneEnvironment& machine) {
  out.add("cpus", machine.cpus, "gpu_name", unless_empty(machine.gpu_name), "has_cuda", machine.has_cuda, "supports_bf16",
          machine.supports_bf16, "supports_compile", machine.supports_compile, "dynamic_shapes", machine.dynamic_shapes, "memory_headroom",
          exact(machine.memory_headroom));
}

void put_tuning(JsonObject& out, const TuneReport& report) {
  const TuneTrial* winner = winner_of(report);
  out.add("schema", "autopilot_report.v1", "job_name", report.job_name, "id", report.id, "folder", report.folder, "command", report.command,
          "started_at", unless_empty(report.started_at), "seconds", exact(report.seconds), "total_trials", count_of_candidates(report),
          "promoted_count", count_of_promoted(report), "improved", report.has_improved());
  out.add("focus", unless_empty(report.focus), "focus_from", unless_empty(report.focus_from), "generated_candidates", report.generated);
  out.object("environment", [&](JsonObject& inner) { put_tuned_machine(inner, report.environment); });
  out.object("settings", [&](JsonObject& inner) { put_tuning_settings(inner, report.settings); });
  out.object("thresholds", [&](JsonObject& inner) { put_tune_thresholds(inner, report.settings.limits); });
  out.object("baseline", [&](JsonObject& inner) { put_tuned_trial(inner, report.baseline); });
  out.object("winner", winner, put_tuned_trial);
  out.add("apply", answer::when(winner != nullptr, winner ? command_with(winner->candidate.variables(), report.command) : ""));
  out.list("trials", report.trials, put_tuned_trial);
  out.add("unfinished", unless_empty(report.unfinished));
  out.object("resume", [&](JsonObject& inner) { inner.add("command", resume_command(report), "reused_runs", report.reused_runs); });
  out.add("notes", report.notes);
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const TuneReport> report) {
  answer::Answer answer;
  answer.what = "a tuning";
  answer.document = [report = report.get()](answer::Detail) { return document_of(*report); };
  answer.payload = [report = report.get()](JsonObject& out) { put_tuning(out, *report); };
  answer.kept = {report};
  return answer;
}

std::string metrics_json(const TuneTrial& trial) {
  return answer::json_text_of([&](JsonObject& out) {
    out.add("schema", "tune_metrics.v1");
    put_tuned_trial(out, trial);
  });
}

}  // namespace frx::compose
