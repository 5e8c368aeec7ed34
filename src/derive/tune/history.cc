#include "derive/tune/history.h"

#include <algorithm>
#include <cmath>

#include "derive/tune/run_times.h"

namespace frx::derive::tune {
namespace {

// How many steps the scatter of all runs counts as, beside that of the run itself.
constexpr double steps_of_common_scatter = 8;

// Runs that count, with what the model needs of them. Their numbers are those of all runs.
std::vector<MeasuredRun> measured_runs(const History& history) {
  std::vector<RunTimes> times;
  std::vector<MeasuredRun> measured;
  for (std::size_t i = 0; i < history.runs.size(); ++i) {
    const FinishedRun& run = history.runs[i];
    const std::optional<RunTimes> one = run.counts() ? run_times_of(run.outcome.times) : std::nullopt;
    if (!one) continue;
    times.push_back(*one);
    const std::size_t point = run.request.configuration ? *run.request.configuration + 1 : 0;
    measured.push_back({point, -one->log_mean, 0, static_cast<double>(i), run.request.stage == Stage::race});
  }
  const Scatter common = scatter_of(times);
  const double run_noise = SpeedupRules{}.run_noise;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const double degrees = static_cast<double>(times[i].count) - 1;
    const double variance = (times[i].squares + steps_of_common_scatter * common.variance) / (degrees + steps_of_common_scatter);
    measured[i].variance = variance * common.inflation() / static_cast<double>(times[i].count) + run_noise * run_noise;
  }
  return measured;
}

std::vector<Settings> points_of(const History& history) {
  std::vector<Settings> points = {history.rules.baseline};
  for (const Configuration& configuration : history.pool) points.push_back(history.known_settings(configuration));
  return points;
}

}  // namespace

std::vector<std::size_t> History::tried() const {
  std::vector<std::size_t> found;
  for (const FinishedRun& run : runs) {
    const std::optional<std::size_t> one = run.request.configuration;
    if (one && std::ranges::find(found, *one) == found.end()) found.push_back(*one);
  }
  return found;
}

bool History::was_tried(std::size_t configuration) const {
  return std::ranges::any_of(runs, [&](const FinishedRun& run) { return run.request.configuration == configuration; });
}

bool History::is_unusable(std::size_t configuration) const {
  return std::ranges::any_of(runs, [&](const FinishedRun& run) { return run.request.configuration == configuration && !run.counts(); });
}

std::size_t History::count(std::optional<std::size_t> configuration, Stage stage) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      runs, [&](const FinishedRun& run) { return run.request.configuration == configuration && run.request.stage == stage; }));
}

std::vector<std::vector<double>> History::times_of(std::optional<std::size_t> configuration, Stage stage) const {
  std::vector<std::vector<double>> times;
  for (const FinishedRun& run : runs) {
    if (run.request.configuration == configuration && run.request.stage == stage && run.counts()) times.push_back(run.outcome.times);
  }
  return times;
}

std::size_t History::documented() const {
  return static_cast<std::size_t>(std::ranges::count_if(pool, [](const Configuration& one) { return one.is_documented; }));
}

Settings History::known_settings(const Configuration& configuration) const {
  Settings settings = configuration.settings;
  for (const auto& known : rules.baseline) {
    if (std::ranges::find(settings, known.first, &Settings::value_type::first) == settings.end()) settings.push_back(known);
  }
  std::ranges::sort(settings);
  return settings;
}

bool History::races() const {
  const std::size_t candidates = std::min(rules.max_trials, rules.adaptive ? pool.size() : documented());
  return rules.race && rules.repeat_count <= 1 && rules.promote_count > 0 && candidates > rules.promote_count &&
         rules.full_steps > std::max<std::size_t>(1, rules.race_steps);
}

std::size_t History::documented_launches() const {
  const std::size_t candidates = std::min(rules.max_trials, documented());
  const bool has_race = races() && candidates > rules.promote_count;
  return has_race ? 1 + candidates + rules.promote_count : (1 + candidates) * std::max<std::size_t>(1, rules.repeat_count);
}

RunRequest History::request(std::optional<std::size_t> configuration, Stage stage) const {
  return {configuration, stage, count(configuration, stage) + 1};
}

std::optional<Speedup> race_speedup(const History& history, std::size_t configuration) {
  std::vector<std::vector<double>> baseline = history.times_of(std::nullopt, Stage::baseline);
  const std::vector<std::vector<double>> race = history.times_of(configuration, Stage::race);
  if (baseline.empty() || race.empty()) return std::nullopt;
  baseline.resize(1);  // what was measured in its place before any race
  const auto first = std::ranges::find_if(history.runs, [](const FinishedRun& run) { return !run.request.configuration && run.counts(); });
  if (!first->outcome.race_times.empty()) baseline.front() = first->outcome.race_times;
  baseline.front().resize(std::min(baseline.front().size(), std::max<std::size_t>(1, history.rules.race_steps)));
  return speedup_of(baseline, race, {});
}

HistoryModel::HistoryModel(const History& history) : history_(history), model_(points_of(history), measured_runs(history)) {}

double HistoryModel::probability_of(std::size_t configuration, double speedup) const {
  return model_.probability(configuration + 1, 0, std::log1p(speedup));
}

double HistoryModel::probability_between(std::size_t configuration, std::size_t rival, double speedup) const {
  return model_.probability(configuration + 1, rival + 1, std::log1p(speedup));
}

double HistoryModel::expected_improvement(std::size_t configuration, std::optional<std::size_t> best) const {
  return model_.expected_improvement(configuration + 1, best ? *best + 1 : 0);
}

std::vector<std::vector<double>> HistoryModel::without_drift(std::optional<std::size_t> configuration, std::vector<double>& weights,
                                                             double sign) const {
  const std::size_t point = configuration ? *configuration + 1 : 0;
  const std::vector<double> drift = model_.drift();
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < model_.runs().size(); ++i) {
    if (model_.runs()[i].point == point && !model_.runs()[i].is_race) found.push_back(i);
  }
  std::vector<std::vector<double>> times;
  for (const std::size_t i : found) {
    weights[i] += sign / static_cast<double>(found.size());
    times.push_back(history_.runs[static_cast<std::size_t>(model_.runs()[i].number)].outcome.times);
    for (double& time : times.back()) time *= std::exp(drift[i]);
  }
  return times;
}

std::optional<Speedup> HistoryModel::full_speedup(std::size_t configuration) const {
  std::vector<double> weights(model_.runs().size());
  const std::vector<std::vector<double>> baseline = without_drift(std::nullopt, weights, -1),
                                         full = without_drift(configuration, weights, 1);
  if (baseline.empty() || full.empty()) return std::nullopt;
  const double runs = 1 / static_cast<double>(baseline.size()) + 1 / static_cast<double>(full.size());
  SpeedupRules rules;
  rules.run_noise = std::sqrt(rules.run_noise * rules.run_noise + model_.weighted_drift(weights).variance / runs);
  return speedup_of(baseline, full, rules);
}

}  // namespace frx::derive::tune
