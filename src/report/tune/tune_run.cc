#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "derive/compare/two_samples.h"
#include "report/tune/candidates.h"
#include "report/tune/window.h"

namespace frx::report {
namespace {

using TrialNumber = std::optional<double> TuneRun::*;

// As capture/gpu/gpu_sample.h words the reasons of the driver. A power cap is not among them: a GPU that computes at its limit of power
// reaches it in every run. Neither are clocks that a person set.
constexpr std::array<std::string_view, 4> throttling = {"hardware slowdown", "software thermal slowdown", "hardware thermal slowdown",
                                                        "hardware power brake"};

std::vector<double> values_of(std::span<const TuneRun> runs, TrialNumber number) {
  std::vector<double> values;
  for (const TuneRun& run : runs) {
    if (run.*number) values.push_back(*(run.*number));
  }
  return values;
}

std::optional<double> median_or_nothing(std::vector<double> values) {
  return values.empty() ? std::nullopt : std::optional(derive::compare::median_of(std::move(values)));
}

// Where every run has 0, it is 0.
std::optional<double> median_of_positive(std::vector<double> values) {
  const bool any_positive = std::ranges::any_of(values, [](double value) { return value > 0; });
  if (any_positive) std::erase_if(values, [](double value) { return value <= 0; });
  return median_or_nothing(std::move(values));
}

std::optional<double> mean_step_of(const TuneRun& run) {
  if (run.step_times_ms.empty()) return std::nullopt;
  double sum = 0;
  for (const double ms : run.step_times_ms) sum += ms;
  return sum / static_cast<double>(run.step_times_ms.size());
}

std::optional<double> sample_stddev(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// The first of equally frequent ones.
std::string most_frequent_stall(std::span<const TuneRun> runs) {
  std::string best;
  std::ptrdiff_t most = 0;
  for (const TuneRun& run : runs) {
    const std::ptrdiff_t count = std::ranges::count(runs, run.dominant_stall, &TuneRun::dominant_stall);
    if (run.dominant_stall.empty() || count <= most) continue;
    best = run.dominant_stall;
    most = count;
  }
  return best;
}

double combined(std::string_view name, const std::vector<double>& values) {
  if (name.starts_with("max_")) return *std::ranges::max_element(values);
  if (name.starts_with("min_")) return *std::ranges::min_element(values);
  return derive::compare::median_of(values);
}

TuneQuality quality_of(std::span<const TuneRun> runs) {
  TuneQuality all;
  std::map<std::string, std::vector<double>, std::less<>> reported;
  std::vector<double> initial, final, slope;
  const auto add = [](std::optional<double> value, std::vector<double>& values) {
    if (value) values.push_back(*value);
  };
  for (const TuneRun& run : runs) {
    all.nan_count += run.quality.nan_count;
    all.inf_count += run.quality.inf_count;
    add(run.quality.initial_loss, initial);
    add(run.quality.final_loss, final);
    add(run.quality.loss_slope, slope);
    for (const auto& [name, value] : run.quality.reported) reported[name].push_back(value);
  }
  all.initial_loss = median_or_nothing(std::move(initial));
  all.final_loss = median_or_nothing(std::move(final));
  all.loss_slope = median_or_nothing(std::move(slope));
  for (const auto& [name, values] : reported) all.reported[name] = combined(name, values);
  return all;
}

int exit_code_of(std::span<const TuneRun> runs) {
  if (runs.empty()) return skipped_exit;
  const auto failed = std::ranges::find_if(runs, [](const TuneRun& run) { return run.exit_code != 0; });
  return failed == runs.end() ? 0 : failed->exit_code;
}

// The first times of the window where the steps before it are not known.
void cut_to(const TuneWindow& window, std::size_t warmup_of_trial, TuneRun& run) {
  const std::size_t first = window.warmup_steps > warmup_of_trial ? window.warmup_steps - warmup_of_trial : 0;
  std::vector<double>& times = run.step_times_ms;
  const std::size_t begin = std::min(first, times.size()), end = std::min(begin + window.measurement_steps, times.size());
  if (begin == end) return;
  times = std::vector<double>(times.begin() + static_cast<std::ptrdiff_t>(begin), times.begin() + static_cast<std::ptrdiff_t>(end));
  // A loss of a later step is no measure for the last one of this window.
  run.quality.initial_loss = run.quality.final_loss = run.quality.loss_slope = std::nullopt;
  const std::optional<double> mean_ms = mean_step_of(run);
  if (!mean_ms || *mean_ms <= 0) return;
  run.throughput_steps_per_s = 1000 / *mean_ms;
  run.throughput_samples_per_s = run.batch_size ? std::optional(*run.batch_size * 1000 / *mean_ms) : std::nullopt;
}

}  // namespace

bool TuneRun::was_throttled() const {
  return std::ranges::any_of(gpus, [](const model::GpuInterval& gpu) {
    return gpu.slowed_by && std::ranges::any_of(*gpu.slowed_by, [](const std::string& reason) {
             return std::ranges::find(throttling, reason) != throttling.end();
           });
  });
}

void fill_in(TuneTrial& trial) {
  const std::span<const TuneRun> runs = trial.runs;
  trial.exit_code = exit_code_of(runs);
  trial.throughput = median_of_positive(values_of(runs, &TuneRun::throughput_steps_per_s));
  // Of the same runs as the throughput, or it would be of other ones.
  const std::vector<double> samples = values_of(runs, &TuneRun::throughput_samples_per_s);
  const bool all_know_samples = samples.size() == values_of(runs, &TuneRun::throughput_steps_per_s).size();
  trial.samples_per_s = all_know_samples ? median_of_positive(samples) : std::nullopt;
  std::vector<double> step_times;
  for (const TuneRun& run : runs) {
    if (const std::optional<double> ms = mean_step_of(run)) step_times.push_back(*ms);
  }
  trial.step_time_ms = median_of_positive(std::move(step_times));
  trial.gpu_utilization_pct = median_of_positive(values_of(runs, &TuneRun::gpu_utilization_pct));
  const std::vector<double> memory = values_of(runs, &TuneRun::peak_memory_ratio);
  trial.peak_memory_ratio = memory.empty() ? std::nullopt : std::optional(*std::ranges::max_element(memory));
  trial.dominant_stall = most_frequent_stall(runs);
  trial.step_count = runs.empty() ? 0 : std::ranges::min_element(runs, {}, &TuneRun::step_count)->step_count;
  trial.throughput_stddev = sample_stddev(values_of(runs, &TuneRun::throughput_steps_per_s));
  trial.quality = quality_of(runs);
}

TuneTrial seen_through(const TuneTrial& trial, const TuneWindow& window, std::size_t warmup_of_trial) {
  TuneTrial seen = trial;
  seen.window = window;
  for (TuneRun& run : seen.runs) {
    if (run.steps.empty()) {
      cut_to(window, warmup_of_trial, run);
    } else {
      measure_steps(window, run);
    }
  }
  fill_in(seen);
  return seen;
}

}  // namespace frx::report
