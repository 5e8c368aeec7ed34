// A tuning: its baseline, its trials in the order in which they were first run, and what to set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/tune/tune_trial.h"

namespace frx::report {

// Guards and quality gates with their limits (defaults of data/tuning/limits.yaml, narrowed by flags).
struct TuneLimits {
  double min_speedup = 0.08, max_memory_ratio = 0.90, max_step_time_regression = 0.10;
  std::size_t fewest_steps = 3;
  bool require_clean_exit = true, require_sufficient_steps = true, require_above_noise_band = true;
  double memory_headroom = 0.20;  // below it no larger batch is tried
  // Quality.
  bool quality_checks = true, finite_loss = true;
  double max_final_loss_regression = 0.05, max_loss_divergence = 0.50, output_abs_tolerance = 0.005;
};

struct TuneSettings {
  TuneWindow window, race_window;
  std::size_t max_trials = 12, race_promote_count = 3;
  bool safe = true, race = true, allow_risky_actions = false;
  std::string bottleneck;           // of --bottleneck, "" when it is to be found
  std::string search = "adaptive";  // or "grid": the documented candidates in their order
  std::size_t sample_interval_ms = 1000;
  TuneLimits limits;
};

// What of the machine decides what may be tried. Absent: unknown.
struct TuneEnvironment {
  std::size_t cpus = 1;
  std::string gpu_name;  // "" without a GPU that was seen
  std::optional<bool> has_cuda, supports_bf16, supports_compile;
  std::optional<bool> dynamic_shapes;     // of the baseline: its inputs change their shapes
  std::optional<double> memory_headroom;  // 1 - the peak of the baseline
};

struct TuneReport {
  std::string job_name = "frx-tune", id, folder;  // "tune-3f8a12b4", "runs/tune-3f8a12b4"
  std::vector<std::string> command;
  std::string started_at;
  double seconds = 0;
  TuneSettings settings;
  TuneEnvironment environment;
  std::string focus;                     // family of candidates: "input_bound", "" for none
  std::string focus_from;                // "--bottleneck", "baseline", "" for none
  std::optional<std::size_t> generated;  // documented candidates of the focus
  TuneTrial baseline;
  std::vector<TuneTrial> trials;      // races first run, full trials, skipped ones, in their order
  std::optional<std::size_t> winner;  // of `trials`
  std::string unfinished;             // why it ended before the search did: "interrupted"; "" when it did not
  std::size_t reused_runs = 0;        // of an earlier tuning, with --resume
  std::vector<std::string> notes;

  bool has_improved() const { return winner.has_value(); }
};

}  // namespace frx::report
