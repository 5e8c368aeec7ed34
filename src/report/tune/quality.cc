#include <algorithm>
#include <cmath>

#include "report/tune/trial_judgement.h"

namespace frx::report {
namespace {

constexpr std::string_view output_difference = "max_output_abs_diff";

void fail_quality(TuneTrial& trial, std::string_view what) { trial.guard_failures.push_back(fmt::format("quality regression: {}", what)); }

void gate_finite(const TuneLimits& limits, TuneTrial& trial) {
  const TuneQuality& quality = trial.quality;
  if (quality.nan_count + quality.inf_count == 0) return;
  const std::string found = fmt::format("{} NaN and {} infinite losses", quality.nan_count, quality.inf_count);
  if (limits.finite_loss) return fail_quality(trial, found);
  trial.comparison_notes.push_back(found + " were allowed");
}

void gate_final_loss(const TuneTrial& baseline, const TuneLimits& limits, TuneTrial& trial) {
  const std::optional<double>&before = baseline.quality.final_loss, &after = trial.quality.final_loss;
  if (!after) return;
  if (!before) {
    trial.comparison_notes.emplace_back("the final loss was not compared: that of the baseline is not known");
  } else if (*before <= 0) {
    trial.comparison_notes.push_back(fmt::format("the final loss was not compared: that of the baseline, {:g}, is not above 0", *before));
  } else if (*after > *before * (1 + limits.max_final_loss_regression)) {
    fail_quality(trial, fmt::format("final loss {:g} exceeds baseline {:g} by more than {:g}%", *after, *before,
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
  const auto reported = trial.quality.reported.find(output_difference);
  if (reported == trial.quality.reported.end() || !(std::abs(reported->second) > limits.output_abs_tolerance)) return;
  fail_quality(trial, fmt::format("output difference {:g} exceeds {:g}", reported->second, limits.output_abs_tolerance));
}

// A faster program whose results were not looked at may compute something else.
void require_quality(const TuneLimits& limits, TuneTrial& trial) {
  const bool is_known = trial.quality.has_loss() || trial.quality.reported.contains(output_difference);
  const bool changes_numerics = std::ranges::any_of(trial.candidate.actions, &TuneAction::changes_numerics);
  if (is_known || (!changes_numerics && !trial.candidate.has("batch_size"))) return;
  constexpr std::string_view why = "neither a loss nor an output difference was reported (current.set_loss(loss) of the SDK reports a loss)";
  trial.comparison_notes.push_back(fmt::format("quality was not assessed: {}", why));
  if (changes_numerics && limits.quality_checks)
    trial.guard_failures.push_back(fmt::format("quality checks are required for {}, and {}", trial.candidate.label, why));
}

}  // namespace

void apply_quality_gates(const TuneTrial& baseline, const TuneLimits& limits, TuneTrial& trial) {
  gate_finite(limits, trial);
  gate_final_loss(baseline, limits, trial);
  gate_divergence(limits, trial);
  gate_outputs(limits, trial);
  // A run without steps has failed for that already.
  if (trial.step_count > 0) require_quality(limits, trial);
}

}  // namespace frx::report
