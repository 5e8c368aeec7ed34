#include <algorithm>
#include <cmath>

#include "report/tune/candidates.h"
#include "report/tune/trial_judgement.h"

namespace frx::report {
namespace {

constexpr std::string_view output_difference = "max_output_abs_diff", validation_loss = "validation_loss";

std::optional<double> reported_number(const TuneTrial& trial, std::string_view name) {
  const auto found = trial.quality.reported.find(name);
  return found == trial.quality.reported.end() ? std::nullopt : std::optional(found->second);
}

void fail_quality(TuneTrial& trial, std::string_view what) { trial.guard_failures.push_back(fmt::format("quality regression: {}", what)); }

void gate_finite(const TuneLimits& limits, TuneTrial& trial) {
  const double validation = reported_number(trial, validation_loss).value_or(0);
  const std::size_t nan = trial.quality.nan_count + std::isnan(validation), inf = trial.quality.inf_count + std::isinf(validation);
  if (nan + inf == 0) return;
  const std::string found = fmt::format("{} NaN and {} infinite losses", nan, inf);
  if (limits.finite_loss) return fail_quality(trial, found);
  trial.comparison_notes.push_back(found + " were allowed");
}

// Steps that were measured in every run.
std::size_t fewest_measured(const TuneTrial& trial) {
  std::size_t fewest = trial.runs.empty() ? 0 : SIZE_MAX;
  for (const TuneRun& run : trial.runs) fewest = std::min(fewest, run.scope == "measurement_window" ? run.step_times_ms.size() : 0);
  return fewest;
}

// The loss of the baseline at the step at which the trial ended: losses fall, and a trial may have been ended early.
std::optional<double> loss_to_compare_with(const TuneTrial& baseline, const TuneTrial& trial) {
  const std::size_t steps = fewest_measured(trial);
  if (steps >= fewest_measured(baseline)) return baseline.quality.final_loss;
  if (steps == 0) return std::nullopt;
  const TuneWindow shorter{trial.window.warmup_steps, steps, trial.window.repeat_count, trial.window.timeout_s};
  return seen_through(baseline, shorter, baseline.window.warmup_steps).quality.final_loss;
}

// `what`: "final loss".
void gate_loss(std::string_view what, std::optional<double> before, std::optional<double> after, const TuneLimits& limits,
               TuneTrial& trial) {
  if (!after || !std::isfinite(*after)) return;
  if (!before || !std::isfinite(*before)) {
    trial.comparison_notes.push_back(fmt::format("the {} was not compared: that of the baseline at the same step is not known", what));
  } else if (*before <= 0) {
    trial.comparison_notes.push_back(fmt::format("the {} was not compared: that of the baseline, {:g}, is not above 0", what, *before));
  } else if (*after > *before * (1 + limits.max_final_loss_regression)) {
    fail_quality(trial, fmt::format("{} {:g} exceeds baseline {:g} by more than {:g}%", what, *after, *before,
                                    100 * limits.max_final_loss_regression));
  }
}

void gate_divergence(const TuneLimits& limits, TuneTrial& trial) {
  const std::optional<double>&first = trial.quality.initial_loss, &last = trial.quality.final_loss;
  if (!first || !last || *first <= 0 || !(*last > *first * (1 + limits.max_loss_divergence))) return;
  fail_quality(trial, fmt::format("final loss {:g} exceeds the first loss {:g} by more than {:g}%", *last, *first,
                                  100 * limits.max_loss_divergence));
}

void gate_outputs(const TuneLimits& limits, TuneTrial& trial) {
  const std::optional<double> difference = reported_number(trial, output_difference);
  if (!difference || std::abs(*difference) <= limits.output_abs_tolerance) return;
  if (std::isnan(*difference)) return fail_quality(trial, "the output difference is NaN");
  fail_quality(trial, fmt::format("output difference {:g} exceeds {:g}", *difference, limits.output_abs_tolerance));
}

// A faster program whose results were not looked at may compute something else.
void require_quality(const TuneLimits& limits, TuneTrial& trial) {
  const bool is_known = trial.quality.has_loss() || reported_number(trial, output_difference) || reported_number(trial, validation_loss);
  const bool changes_numerics = std::ranges::any_of(trial.candidate.actions, &TuneAction::changes_numerics);
  if (is_known || (!changes_numerics && !trial.candidate.has("batch_size"))) return;
  constexpr std::string_view why =
      "neither a loss nor an output difference was reported (current.set_loss(loss) of the SDK reports a loss)";
  trial.comparison_notes.push_back(fmt::format("quality was not assessed: {}", why));
  if (changes_numerics && limits.quality_checks)
    trial.guard_failures.push_back(fmt::format("quality checks are required for {}, and {}", trial.candidate.label, why));
}

}  // namespace

void apply_quality_gates(const TuneTrial& baseline, const TuneLimits& limits, TuneTrial& trial) {
  gate_finite(limits, trial);
  gate_loss("final loss", loss_to_compare_with(baseline, trial), trial.quality.final_loss, limits, trial);
  gate_loss("validation loss", reported_number(baseline, validation_loss), reported_number(trial, validation_loss), limits, trial);
  gate_divergence(limits, trial);
  gate_outputs(limits, trial);
  // A run without steps has failed for that already.
  if (trial.step_count > 0) require_quality(limits, trial);
}

}  // namespace frx::report
