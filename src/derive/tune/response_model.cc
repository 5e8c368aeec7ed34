#include "derive/tune/response_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace frx::derive::tune {
namespace {

// Standard deviations of the logarithm: of what the settings of a configuration change altogether, and of the drift from one run to the
// next.
constexpr double effect_sizes[] = {0.06, 0.2, 0.6};
constexpr double drift_sizes[] = {0.001, 0.005, 0.015};
// Variance of interactions over that of effects of single variables.
constexpr double interaction_shares[] = {0.15, 1};
constexpr double race_offset = 0.005;
constexpr double level_variance = 1;

double normal_density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }
double normal_probability(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

// Members that the measurements all but exclude are not worth their time.
constexpr double least_member_weight = 1e-3;

}  // namespace

ResponseModel::ResponseModel(std::span<const Settings> points, std::vector<MeasuredRun> runs) : kernel_(points), runs_(std::move(runs)) {
  for (const MeasuredRun& run : runs_) values_.push_back(run.log_throughput - runs_.front().log_throughput);
  for (std::size_t scale = 0; scale < std::size(SettingsKernel::length_scales); ++scale) {
    alike_.emplace_back();
    for (std::size_t point = 0; point < points.size(); ++point) {
      for (const MeasuredRun& run : runs_) alike_[scale].push_back(kernel_.of(point, run.point, scale));
    }
  }
  for (const double effect : effect_sizes) {
    for (const double share : interaction_shares) {
      for (const double drift : drift_sizes) {
        for (std::size_t scale = 0; scale < alike_.size(); ++scale) {
          add_member(effect * effect, share * effect * effect, drift * drift, scale);
        }
      }
    }
  }
  weigh_members(std::move(log_likelihoods_));
}

double ResponseModel::covariance(const Member& member, const SettingsKernel::Likeness& alike) const {
  return member.effect * alike.single + member.interaction * alike.paired;
}

void ResponseModel::add_member(double effect, double interaction, double drift, std::size_t scale) {
  const std::size_t n = runs_.size();
  std::vector<double> matrix(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const SettingsKernel::Likeness& alike = alike_[scale][runs_[i].point * n + j];
      matrix[i * n + j] = level_variance + effect * alike.single + interaction * alike.paired +
                          drift * std::min(runs_[i].number, runs_[j].number) +
                          (runs_[i].is_race && runs_[j].is_race ? race_offset * race_offset : 0) + (i == j ? runs_[i].variance : 0);
    }
  }
  std::optional<Cholesky> factor = Cholesky::of(std::move(matrix), n);
  if (!factor) return;
  std::vector<double> solved = factor->solve(values_);
  const double misfit = std::inner_product(values_.begin(), values_.end(), solved.begin(), 0.0);
  log_likelihoods_.push_back(-(misfit + factor->log_determinant()) / 2);
  members_.push_back({effect, interaction, drift, scale, 0, *std::move(factor), std::move(solved)});
}

void ResponseModel::weigh_members(std::vector<double> log_likelihoods) {
  if (members_.empty()) return;
  const double highest = std::ranges::max(log_likelihoods);
  double sum = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) sum += members_[i].weight = std::exp(log_likelihoods[i] - highest);
  std::erase_if(members_, [&](const Member& member) { return member.weight < least_member_weight; });
  sum = 0;
  for (const Member& member : members_) sum += member.weight;
  for (Member& member : members_) member.weight /= sum;
}

Estimate ResponseModel::gain_in(const Member& member, std::size_t point, std::size_t over) const {
  const std::size_t n = runs_.size();
  std::vector<double> with_runs(n);
  const std::vector<SettingsKernel::Likeness>& alike = alike_[member.scale];
  for (std::size_t i = 0; i < n; ++i) {
    with_runs[i] = covariance(member, alike[point * n + i]) - covariance(member, alike[over * n + i]);
  }
  const std::vector<double> known = member.factor.forward(with_runs);
  const double prior = 2 * (member.effect + member.interaction - covariance(member, kernel_.of(point, over, member.scale)));
  return {std::inner_product(with_runs.begin(), with_runs.end(), member.solved.begin(), 0.0),
          std::max(0.0, prior - std::inner_product(known.begin(), known.end(), known.begin(), 0.0))};
}

Estimate ResponseModel::drift_in(const Member& member, std::span<const double> weights) const {
  const std::size_t n = runs_.size();
  std::vector<double> with_runs(n);
  double prior = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) with_runs[i] += weights[j] * member.drift * std::min(runs_[i].number, runs_[j].number);
    prior += weights[i] * with_runs[i];
  }
  const std::vector<double> known = member.factor.forward(with_runs);
  return {std::inner_product(with_runs.begin(), with_runs.end(), member.solved.begin(), 0.0),
          std::max(0.0, prior - std::inner_product(known.begin(), known.end(), known.begin(), 0.0))};
}

namespace {

// The mean and the variance of a mixture, from its weighted members.
class MixedEstimate {
 public:
  void add(double weight, const Estimate& estimate) {
    mean_ += weight * estimate.mean;
    square_ += weight * (estimate.variance + estimate.mean * estimate.mean);
  }
  Estimate value() const { return {mean_, std::max(0.0, square_ - mean_ * mean_)}; }

 private:
  double mean_ = 0, square_ = 0;
};

}  // namespace

Estimate ResponseModel::gain(std::size_t point, std::size_t over) const {
  MixedEstimate mixed;
  for (const Member& member : members_) mixed.add(member.weight, gain_in(member, point, over));
  return mixed.value();
}

double ResponseModel::expected_improvement(std::size_t point, std::size_t over) const {
  double sum = 0;
  for (const Member& member : members_) {
    const Estimate gain = gain_in(member, point, over);
    const double deviation = std::sqrt(gain.variance);
    if (deviation == 0) {
      sum += member.weight * std::max(0.0, gain.mean);
    } else {
      const double z = gain.mean / deviation;
      sum += member.weight * (gain.mean * normal_probability(z) + deviation * normal_density(z));
    }
  }
  return sum;
}

double ResponseModel::probability(std::size_t point, std::size_t over, double least) const {
  double sum = 0;
  for (const Member& member : members_) {
    const Estimate gain = gain_in(member, point, over);
    const double deviation = std::sqrt(gain.variance);
    sum += member.weight * (deviation == 0 ? (gain.mean > least ? 1.0 : 0.0) : normal_probability((gain.mean - least) / deviation));
  }
  return sum;
}

std::vector<double> ResponseModel::drift() const {
  std::vector<double> drifts(runs_.size()), weights(runs_.size());
  for (std::size_t i = 0; i < drifts.size(); ++i) {
    weights.assign(runs_.size(), 0.0);
    weights[i] = 1;
    drifts[i] = weighted_drift(weights).mean;
  }
  return drifts;
}

Estimate ResponseModel::weighted_drift(std::span<const double> weights) const {
  MixedEstimate mixed;
  for (const Member& member : members_) mixed.add(member.weight, drift_in(member, weights));
  return mixed.value();
}

}  // namespace frx::derive::tune
