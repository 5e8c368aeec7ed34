// What the runs of one configuration measured, and what was concluded from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/tune/search.h"
#include "model/gpu_interval.h"
#include "report/tune/candidate.h"

namespace frx::report {

// benchmark_window.json
struct TuneWindow {
  std::size_t warmup_steps = 5, measurement_steps = 20, repeat_count = 1;
  double timeout_s = 60;
  std::size_t max_steps() const { return warmup_steps + measurement_steps; }
  bool operator==(const TuneWindow&) const = default;
};

// What says whether the results are still right. Absent: the program did not report it.
struct TuneQuality {
  std::size_t nan_count = 0, inf_count = 0;
  std::optional<double> initial_loss, final_loss, loss_slope;  // slope: per step, by least squares
  // validation_loss, accuracy, perplexity, gradient_norm, parameter_norm, max_output_abs_diff, max_output_rel_diff
  std::map<std::string, double, std::less<>> reported;
  bool has_loss() const { return final_loss.has_value() || nan_count + inf_count > 0; }
};

// Exit codes that are none of the program.
inline constexpr int timed_out_exit = -1, not_started_exit = -2, skipped_exit = -3;

// A completed step.
struct TuneStep {
  double ms = 0;                           // from the end of the step before to its own end
  std::optional<double> batch_size, loss;  // loss: also NaN and infinities
};

// One process, from its start to its end.
struct TuneRun {
  std::size_t number = 1;
  int exit_code = 0;           // its own, or one of the three above
  std::string failure;         // in words; "" when it ended well
  std::string stopped;         // why frx ended it before its window was full, though nothing was wrong: "hopeless"; "" when it did not
  std::string scope;           // what the numbers are of: measurement_window, steady_state, run, bare; "" without steps
  std::size_t step_count = 0;  // completed, in the whole run
  std::vector<double> step_times_ms;  // of the window: from the end of the step before to its own end, so the wait for its batch counts
  std::optional<double> batch_size;   // samples a step, where all steps of the window have the same
  std::optional<double> throughput_steps_per_s, throughput_samples_per_s;
  std::optional<double> gpu_utilization_pct, peak_memory_ratio;
  std::string dominant_stall;  // "none" where no step waited; "" where it is not known
  TuneQuality quality;
  std::vector<model::GpuInterval> gpus;  // clocks, temperature, what slowed the clocks down; empty: no GPU tells
  std::string started_at;                // UTC
  double seconds = 0;
  std::string folder;  // relative to that of the tuning
  std::vector<TuneStep> steps = {};  // all completed ones, so that other windows can be measured; may be empty

  // A GPU was slowed down by heat or power while it ran, and its times are not those of the configuration.
  bool was_throttled() const;
};

enum class TuneStage : std::uint8_t { full, race };

struct TuneTrial {
  TuneCandidate candidate;  // of the baseline: id "baseline", no actions
  TuneStage stage = TuneStage::full;
  TuneWindow window;
  std::vector<TuneRun> runs;      // a race has one; empty: skipped before it was run
  std::vector<TuneRun> repeated;  // throttled ones that were repeated and do not count

  // Of the runs, by fill_in(): medians of positive values; the largest memory; the most frequent stall; the least step count.
  int exit_code = 0;  // 0 only if all are 0, else the first that is not; skipped_exit when it was not run
  std::optional<double> throughput, samples_per_s, step_time_ms, gpu_utilization_pct, peak_memory_ratio;
  std::string dominant_stall;
  std::size_t step_count = 0;
  std::optional<double> throughput_stddev;  // of a sample, steps/s; absent below two runs
  TuneQuality quality;

  // Against the baseline.
  std::vector<std::string> guard_failures;       // sentences; empty: it passed them
  std::optional<double> throughput_delta;        // (trial - baseline) / baseline, of samples/s where both know their batch, else of steps/s
  bool by_samples = false;                       // which of the two
  std::optional<derive::tune::Speedup> speedup;  // with its interval
  derive::tune::Verdict verdict = derive::tune::Verdict::inconclusive;
  std::optional<double> noise_band;
  std::string confidence_label;  // high, medium, low, inconclusive
  std::vector<std::string> comparison_notes;
  bool is_eligible = false;        // for promotion: only the full stage is
  std::string screening_decision;  // of a race; "" of others

  bool passed_guards() const { return guard_failures.empty(); }
  bool was_skipped() const { return exit_code == skipped_exit; }
};

// Fills in what follows from the runs alone.
void fill_in(TuneTrial& trial);

}  // namespace frx::report
