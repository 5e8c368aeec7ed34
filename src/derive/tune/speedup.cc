#include "derive/tune/speedup.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "derive/tune/run_times.h"

namespace frx::derive::tune {
namespace {

// Prior variances of an effect, in units of the variance of one value and of that of one run: they decide for which sample sizes the
// interval is narrowest, not whether it holds.
constexpr double step_effect_variance = 4, run_effect_variance = 10;

struct RunsOfSide {
  std::vector<RunTimes> runs;
  std::vector<double> weights;  // of the runs, with the sum 1
  std::size_t values = 0;
  Scatter scatter;
};

RunsOfSide runs_of_side(std::span<const std::vector<double>> times) {
  RunsOfSide side;
  for (const std::vector<double>& one : times) {
    const std::optional<RunTimes> run = run_times_of(one);
    if (!run) continue;
    side.runs.push_back(*run);
    side.values += run->count;
  }
  side.scatter = scatter_of(side.runs);
  return side;
}

Scatter pooled_scatter(const RunsOfSide& first, const RunsOfSide& second) {
  std::vector<RunTimes> all = first.runs;
  all.insert(all.end(), second.runs.begin(), second.runs.end());
  return scatter_of(all);
}

// Long runs say more than short ones, but none more than its own shift lets it.
void weigh_runs(RunsOfSide& side, double step_variance, double run_variance) {
  double sum = 0;
  for (const RunTimes& run : side.runs) {
    const double variance = run_variance + step_variance / static_cast<double>(run.count);
    side.weights.push_back(variance > 0 ? 1 / variance : static_cast<double>(run.count));
    sum += side.weights.back();
  }
  for (double& weight : side.weights) weight /= sum;
}

double weighted_log_mean(const RunsOfSide& side) {
  double mean = 0;
  for (std::size_t i = 0; i < side.runs.size(); ++i) mean += side.weights[i] * side.runs[i].log_mean;
  return mean;
}

// Variance of the weighted mean of a side, per variance of a value; and per variance of a run.
double per_value(const RunsOfSide& side) {
  double sum = 0;
  for (std::size_t i = 0; i < side.runs.size(); ++i) sum += side.weights[i] * side.weights[i] / static_cast<double>(side.runs[i].count);
  return sum;
}
double per_run(const RunsOfSide& side) {
  double sum = 0;
  for (const double weight : side.weights) sum += weight * weight;
  return sum;
}

// By how much runs of a side differ beyond what their steps explain; 0 where no side has two.
double shown_run_variance(const RunsOfSide& first, const RunsOfSide& second, double step_variance) {
  double squares = 0, degrees = 0, explained = 0;
  for (const RunsOfSide* side : {&first, &second}) {
    const double count = static_cast<double>(side->runs.size());
    double sum = 0;
    for (const RunTimes& run : side->runs) sum += run.log_mean;
    for (const RunTimes& run : side->runs) {
      const double deviation = run.log_mean - sum / count;
      squares += deviation * deviation;
      explained += (1 - 1 / count) * step_variance / static_cast<double>(run.count);
    }
    degrees += count - 1;
  }
  return degrees > 0 ? std::max(0.0, (squares - explained) / degrees) : 0;
}

// The largest t whose Bayes factor does not exceed 1 / alpha. `size`: the number of values that a mean of that error would have.
double largest_t(double degrees, double size, double alpha) {
  const double growth = 1 + size * step_effect_variance;
  const double limit = std::pow(growth / (alpha * alpha), 1 / (degrees + 1));
  if (limit >= growth) return std::numeric_limits<double>::infinity();
  return std::sqrt(degrees * (limit - 1) / (1 - limit / growth));
}

// The same where the variance is known.
double largest_z(double size, double alpha) {
  const double growth = 1 + size * run_effect_variance;
  return std::sqrt(growth / (growth - 1) * std::log(growth / (alpha * alpha)));
}

// Squared: what steps leave open. Where the sides scatter differently and the smaller one more, the common scatter would make it too
// narrow: there each side has its own, with the degrees of freedom that Welch and Satterthwaite leave.
double open_by_steps(const RunsOfSide& first, const RunsOfSide& second, const Scatter& all, double alpha) {
  const double of_values = per_value(first) + per_value(second);
  const double of_first = first.scatter.variance * per_value(first), of_second = second.scatter.variance * per_value(second);
  double squared_error = all.variance * of_values, degrees = all.degrees;
  if (of_first + of_second > squared_error) {
    squared_error = of_first + of_second;
    const double spread =
        of_first * of_first / std::max(1.0, first.scatter.degrees) + of_second * of_second / std::max(1.0, second.scatter.degrees);
    degrees = squared_error * squared_error / spread;
  }
  degrees /= all.inflation();
  if (degrees < 1) return std::numeric_limits<double>::infinity();
  const double t = largest_t(degrees, 1 / (all.inflation() * of_values), alpha);
  return std::isfinite(t) ? t * t * squared_error * all.inflation() : t;
}

}  // namespace

Speedup speedup_of(std::span<const std::vector<double>> first_times, std::span<const std::vector<double>> second_times,
                   const SpeedupRules& rules) {
  RunsOfSide first = runs_of_side(first_times), second = runs_of_side(second_times);
  Speedup speedup{0, -1, std::numeric_limits<double>::infinity(), first.values, second.values};
  if (first.runs.empty() || second.runs.empty()) return speedup;
  const Scatter all = pooled_scatter(first, second);
  const double step_variance = all.variance * all.inflation();
  const double run_variance = std::max(rules.run_noise * rules.run_noise, shown_run_variance(first, second, step_variance));
  weigh_runs(first, step_variance, run_variance);
  weigh_runs(second, step_variance, run_variance);
  const double gain = weighted_log_mean(first) - weighted_log_mean(second);
  speedup.value = std::expm1(gain);
  if (first.values < 2 || second.values < 2) return speedup;
  const double alpha = 1 - rules.confidence, of_runs = per_run(first) + per_run(second);
  const double z = largest_z(1 / of_runs, alpha);
  const double half = std::sqrt(open_by_steps(first, second, all, alpha) + z * z * run_variance * of_runs);
  if (!std::isfinite(half)) return speedup;
  speedup.low = std::expm1(gain - half);
  speedup.high = std::expm1(gain + half);
  return speedup;
}

}  // namespace frx::derive::tune
