#include <algorithm>
#include <cmath>
#include <vector>

#include "derive/compare/two_samples.h"
#include "report/tune/candidates.h"
#include "report/tune/trial_judgement.h"

namespace frx::report {
namespace {

// Repeats from which on a measured noise band may be relied upon, and from which there is one at all.
constexpr std::size_t repeats_for_high = 3, repeats_for_noise = 2;

std::optional<double> throughput_of(const TuneRun& run, bool by_samples) {
  return by_samples ? run.throughput_samples_per_s : run.throughput_steps_per_s;
}

// Sample standard deviation over median of the throughput of the runs; absent below two.
std::optional<double> relative_noise(const TuneTrial& trial, bool by_samples) {
  std::vector<double> values;
  for (const TuneRun& run : trial.runs) {
    if (const std::optional<double> value = throughput_of(run, by_samples); value && *value > 0) values.push_back(*value);
  }
  if (values.size() < repeats_for_noise) return std::nullopt;
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / derive::compare::median_of(values);
}

void compare_throughput(const TuneTrial& baseline, TuneTrial& trial) {
  const auto known = [](const std::optional<double>& value) { return value && *value > 0; };
  trial.by_samples = known(baseline.samples_per_s) && known(trial.samples_per_s);
  const std::optional<double>& before = trial.by_samples ? baseline.samples_per_s : baseline.throughput;
  const std::optional<double>& after = trial.by_samples ? trial.samples_per_s : trial.throughput;
  if (known(before) && known(after)) {
    trial.throughput_delta = (*after - *before) / *before;
  } else if (known(after)) {
    trial.comparison_notes.emplace_back("the baseline has no throughput to compare with");
  }
  const std::optional<double> noise = relative_noise(baseline, trial.by_samples), own = relative_noise(trial, trial.by_samples);
  if (noise || own) trial.noise_band = std::max(noise.value_or(0), own.value_or(0));
}

void guard_noise(const TuneTrial& baseline, const TuneLimits& limits, TuneTrial& trial) {
  if (!limits.require_above_noise_band || !trial.throughput_delta || !trial.noise_band) return;
  if (std::min(baseline.runs.size(), trial.runs.size()) < repeats_for_noise) return;
  const double delta = *trial.throughput_delta;
  if (delta > 0 && delta <= *trial.noise_band)
    trial.guard_failures.push_back(
        fmt::format("a gain of {:.1f}% is within the noise of {:.1f}% between repeats", 100 * delta, 100 * *trial.noise_band));
}

std::string confidence_of(const TuneTrial& trial, const TuneLimits& limits) {
  if (trial.runs.size() < repeats_for_noise || !trial.throughput_delta) return "low";
  const double delta = *trial.throughput_delta, band = trial.noise_band.value_or(0);
  if (delta <= std::max(band, limits.min_speedup)) return "inconclusive";
  if (trial.runs.size() >= repeats_for_high && delta - band >= limits.min_speedup) return "high";
  return delta - band >= limits.min_speedup / 2 ? "medium" : "low";
}

}  // namespace

void judge_trial(TuneTrial& trial, const TuneTrial& baseline, const TuneLimits& limits) {
  trial.comparison_notes.clear();
  trial.throughput_delta = trial.noise_band = std::nullopt;
  trial.by_samples = trial.is_eligible = false;
  trial.confidence_label.clear();
  // What was skipped has the reasons for that.
  if (trial.runs.empty()) return;
  trial.guard_failures.clear();
  compare_throughput(baseline, trial);
  apply_guards(baseline, limits, trial);
  apply_quality_gates(baseline, limits, trial);
  guard_noise(baseline, limits, trial);
  trial.confidence_label = confidence_of(trial, limits);
  const bool is_whole = std::ranges::all_of(trial.runs, [](const TuneRun& run) { return run.stopped.empty(); });
  trial.is_eligible = trial.stage == TuneStage::full && is_whole && trial.passed_guards();
}

}  // namespace frx::report
