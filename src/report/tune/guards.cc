#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "report/tune/trial_judgement.h"

namespace frx::report {
namespace {

std::string exit_failure(const TuneRun& run, const TuneWindow& window) {
  if (run.exit_code == timed_out_exit)
    return "timed out: " + (run.failure.empty() ? fmt::format("no end within {:g} s", window.timeout_s) : run.failure);
  if (!run.failure.empty()) return run.failure;
  switch (run.exit_code) {
    case not_started_exit: return "the program could not be started";
    default: return fmt::format("exit code {}", run.exit_code);
  }
}

std::vector<std::string> failures_of(const TuneRun& run, const TuneWindow& window, const TuneLimits& limits) {
  std::vector<std::string> failures;
  // What frx ended early, because its fate was decided, did not go wrong.
  if (was_cut_short(run, window)) return failures;
  if (limits.require_clean_exit && (run.exit_code != 0 || !run.failure.empty())) failures.push_back(exit_failure(run, window));
  if (run.exit_code == not_started_exit) return failures;
  if (run.step_count == 0) {
    if (run.failure.empty() || run.exit_code != 0) failures.emplace_back("no trace data: the program recorded no completed steps");
    return failures;
  }
  if (limits.require_sufficient_steps && run.step_count < limits.fewest_steps)
    failures.push_back(fmt::format("{} completed steps, fewer than {}", run.step_count, limits.fewest_steps));
  if (run.throughput_steps_per_s.value_or(0) <= 0) failures.emplace_back("no throughput was measured");
  return failures;
}

void guard_runs(const TuneLimits& limits, TuneTrial& trial) {
  for (std::size_t i = 0; i < trial.runs.size(); ++i) {
    for (std::string& failure : failures_of(trial.runs[i], trial.window, limits)) {
      const bool is_repeated = trial.runs.size() > 1;
      trial.guard_failures.push_back(is_repeated ? fmt::format("repeat {}: {}", i + 1, failure) : std::move(failure));
    }
    if (was_cut_short(trial.runs[i], trial.window))
      trial.comparison_notes.push_back(fmt::format("run {} was ended before its window was full: {}", i + 1, trial.runs[i].stopped));
  }
}

void guard_memory(const TuneLimits& limits, TuneTrial& trial) {
  if (!trial.peak_memory_ratio) {
    trial.comparison_notes.push_back(
        fmt::format("peak GPU memory was not measured: the limit of {:g}% was not checked", 100 * limits.max_memory_ratio));
  } else if (*trial.peak_memory_ratio > limits.max_memory_ratio) {
    trial.guard_failures.push_back(
        fmt::format("peak memory ratio {:.2f} exceeds {:.2f}", *trial.peak_memory_ratio, limits.max_memory_ratio));
  }
}

// A larger batch may take longer for a step, but not for a sample.
void guard_step_time(const TuneTrial& baseline, const TuneLimits& limits, TuneTrial& trial) {
  std::optional<double> more;
  if (trial.by_samples) {
    more = *baseline.samples_per_s / *trial.samples_per_s - 1;
  } else if (baseline.step_time_ms && trial.step_time_ms) {
    more = *trial.step_time_ms / *baseline.step_time_ms - 1;
  }
  if (more && *more > limits.max_step_time_regression) {
    trial.guard_failures.push_back(fmt::format("{} regressed by {:.1f}%, more than {:g}%",
                                               trial.by_samples ? "time per sample" : "step time", 100 * *more,
                                               100 * limits.max_step_time_regression));
  }
}

std::optional<double> batch_of_runs(const TuneTrial& trial) {
  if (trial.runs.empty()) return std::nullopt;
  const std::optional<double> batch = trial.runs.front().batch_size;
  const bool same = std::ranges::all_of(trial.runs, [&](const TuneRun& run) { return run.batch_size == batch; });
  return same ? batch : std::nullopt;
}

// Whether a program that was told another batch size took it.
void guard_batch(const TuneTrial& baseline, TuneTrial& trial) {
  const Variables variables = trial.candidate.variables();
  const auto asked = std::ranges::find(variables, "FRX_BATCH_SIZE", &Variables::value_type::first);
  if (asked == variables.end()) return;
  const std::optional<double> batch = batch_of_runs(trial), before = batch_of_runs(baseline);
  if (!trial.by_samples) {
    trial.comparison_notes.emplace_back(
        "compared by steps/s, which says little about another batch size: the program did not report its batch "
        "(step_context(batch=...) of the SDK does)");
  }
  if (!batch || !before || *batch == parse_number(asked->second, NumberStyle::point)) return;
  if (*batch == *before) {
    trial.guard_failures.push_back(fmt::format("FRX_BATCH_SIZE={} had no effect: a step still has {:g} samples", asked->second, *batch));
  } else {
    trial.comparison_notes.push_back(fmt::format("a step has {:g} samples where FRX_BATCH_SIZE={} asks for others", *batch, asked->second));
  }
}

}  // namespace

bool was_cut_short(const TuneRun& run, const TuneWindow& window) { return !run.stopped.empty() && run.step_count < window.max_steps(); }

void apply_guards(const TuneTrial& baseline, const TuneLimits& limits, TuneTrial& trial) {
  guard_runs(limits, trial);
  guard_memory(limits, trial);
  guard_step_time(baseline, limits, trial);
  guard_batch(baseline, trial);
}

}  // namespace frx::report
