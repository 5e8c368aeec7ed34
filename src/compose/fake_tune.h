// Tunings that never ran, for tests of what is said about one.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "report/tune/tune_report.h"

namespace frx::compose::testing {

inline report::TuneAction loader_action(int workers, bool pin) {
  report::TuneAction action;
  action.id = "dl_nw" + std::to_string(workers) + "_pin" + (pin ? "1" : "0");
  action.type = "dataloader";
  action.detail = "The loader has " + std::to_string(workers) + " worker processes.";
  action.variables = {{"FRX_NUM_WORKERS", std::to_string(workers)}, {"FRX_PIN_MEMORY", pin ? "true" : "false"}};
  action.rollback = "unset the variables";
  return action;
}

inline report::TuneAction batch_action(int batch) {
  report::TuneAction action;
  action.id = "bs_" + std::to_string(batch);
  action.type = "batch_size";
  action.detail = "A step has " + std::to_string(batch) + " samples.";
  action.tier = report::TuneTier::validated;
  action.variables = {{"FRX_BATCH_SIZE", std::to_string(batch)}};
  return action;
}

inline report::TuneAction half_precision_action() {
  report::TuneAction action;
  action.id = "amp_fp16";
  action.type = "precision";
  action.detail = "Matrix products are computed in float16.";
  action.tier = report::TuneTier::validated;
  action.risk = report::TuneRisk::medium;
  action.variables = {{"FRX_AMP_DTYPE", "float16"}};
  return action;
}

// One run of 20 equal steps of 32 samples.
inline report::TuneRun tune_run(double steps_per_s) {
  report::TuneRun run;
  run.scope = "measurement_window";
  run.step_count = 25;
  run.step_times_ms.assign(20, 1000 / steps_per_s);
  run.batch_size = 32;
  run.throughput_steps_per_s = steps_per_s;
  run.throughput_samples_per_s = 32 * steps_per_s;
  run.started_at = "2026-11-25T17:00:00Z";
  run.seconds = 12.5;
  return run;
}

inline report::TuneTrial tune_trial(std::string label, report::TuneAction action, double steps_per_s) {
  report::TuneTrial trial;
  trial.candidate.id = action.id;
  trial.candidate.label = std::move(label);
  trial.candidate.actions = {std::move(action)};
  trial.runs = {tune_run(steps_per_s)};
  trial.runs[0].folder = trial.candidate.id;
  trial.throughput = steps_per_s;
  trial.samples_per_s = 32 * steps_per_s;
  trial.step_time_ms = 1000 / steps_per_s;
  trial.step_count = 25;
  trial.is_eligible = true;
  return trial;
}

// `low`, `high`: bounds of the interval around `change`.
inline report::TuneTrial compared(report::TuneTrial trial, double change, double low, double high, derive::tune::Verdict verdict) {
  trial.throughput_delta = change;
  trial.by_samples = true;
  trial.speedup = derive::tune::Speedup{change, low, high, 20, 20};
  trial.verdict = verdict;
  trial.confidence_label = "low";
  return trial;
}

inline report::TuneTrial raced(report::TuneTrial trial, std::string decision) {
  trial.stage = report::TuneStage::race;
  trial.screening_decision = std::move(decision);
  trial.is_eligible = false;
  trial.runs[0].folder = "race/" + trial.candidate.id;
  return trial;
}

inline report::TuneTrial tune_baseline() {
  report::TuneAction none;
  none.id = "baseline";
  report::TuneTrial trial = tune_trial("baseline", none, 4.8);
  trial.candidate.actions.clear();
  trial.gpu_utilization_pct = 1.3;
  trial.peak_memory_ratio = 0.25;
  trial.dominant_stall = "input_bound";
  trial.quality.final_loss = 1;
  model::GpuInterval gpu;
  gpu.name = "NVIDIA H100 80GB HBM3";
  gpu.mean_sm_clock_mhz = 1980;
  gpu.mean_temperature_c = 41;
  gpu.memory_peak_bytes = 20.0 * 1024 * 1024 * 1024;
  gpu.memory_total_bytes = 80.0 * 1024 * 1024 * 1024;
  gpu.slowed_by.emplace();
  trial.runs[0].gpus = {gpu};
  return trial;
}

// Two that are faster, one that is rejected, one that was not run, and the races before them. Nothing has won yet.
inline report::TuneReport tune_report() {
  using derive::tune::Verdict;
  const std::string promoted = "promoted to full benchmark", screened = "screened out by quicker candidates";
  report::TuneReport report;
  report.id = "tune-3f8a12b4";
  report.folder = "runs/tune-3f8a12b4";
  report.command = {"python", "train.py", "--data", "my data"};
  report.started_at = "2026-11-25T17:00:00Z";
  report.seconds = 211;
  report.settings.race_window = {1, 5, 1, 30};
  report.settings.safe = false;
  report.environment.cpus = 16;
  report.environment.gpu_name = "NVIDIA H100 80GB HBM3";
  report.environment.has_cuda = true;
  report.focus = "input_bound";
  report.focus_from = "baseline";
  report.generated = 8;
  report.baseline = tune_baseline();
  const auto of_workers = [](int workers, double steps_per_s) {
    return tune_trial("dl:nw=" + std::to_string(workers) + ",pin=T", loader_action(workers, true), steps_per_s);
  };
  const report::TuneTrial four = of_workers(4, 5.73), eight = of_workers(8, 5.67), none = of_workers(0, 4.86);
  const report::TuneTrial half = tune_trial("amp:fp16", half_precision_action(), 6.14);
  report.trials = {
      raced(compared(none, 0.012, -0.03, 0.056, Verdict::inconclusive), screened),
      raced(compared(four, 0.193, 0.12, 0.27, Verdict::better), promoted),
      raced(compared(eight, 0.181, 0.11, 0.257, Verdict::better), promoted),
      raced(compared(half, 0.28, 0.2, 0.365, Verdict::better), promoted),
      compared(half, 0.28, 0.24, 0.32, Verdict::unusable),
      compared(eight, 0.181, 0.15, 0.213, Verdict::better),
      compared(four, 0.193, 0.161, 0.226, Verdict::better),
  };
  report.trials[4].guard_failures = {"quality regression: final loss 1.2 exceeds baseline 1 by more than 5%"};
  report.trials[4].quality.final_loss = 1.2;
  report.trials[6].quality.final_loss = 1.01;
  report::TuneTrial skipped = tune_trial("bs:64(2x)", batch_action(64), 1);
  skipped.runs.clear();
  skipped.throughput = skipped.samples_per_s = skipped.step_time_ms = std::nullopt;
  skipped.step_count = 0;
  skipped.exit_code = report::skipped_exit;
  skipped.is_eligible = false;
  skipped.guard_failures = {"memory headroom 0.15 is below 0.20"};
  report.trials.push_back(skipped);
  return report;
}

// dl:nw=4,pin=T has won.
inline report::TuneReport improved_report() {
  report::TuneReport report = tune_report();
  report.winner = 6;
  return report;
}

// All that came to a full trial gains less than is asked for, or may do so.
inline report::TuneReport undecided_report() {
  using derive::tune::Verdict;
  report::TuneReport report = tune_report();
  report.settings.safe = true;
  report.trials[4] = compared(report.trials[4], 0.02, -0.01, 0.05, Verdict::below);
  report.trials[4].guard_failures.clear();
  report.trials[5] = compared(report.trials[5], 0.10, -0.05, 0.27, Verdict::inconclusive);
  report.trials[6] = compared(report.trials[6], 0.03, 0.01, 0.05, Verdict::below);
  return report;
}

inline std::shared_ptr<const report::TuneReport> shared(report::TuneReport report) {
  return std::make_shared<const report::TuneReport>(std::move(report));
}

}  // namespace frx::compose::testing
