// What is expected of configurations that were not run, or only briefly, from those that were: a Gaussian process.
//
//   log throughput of a run = level + effect of the configuration + drift of the machine + offset of its kind of run + noise
//
// The effect has the covariance of SettingsKernel. The drift is a random walk from run to run, which covers slow changes as well as sudden
// ones. Races start earlier after the start of their program than full runs and share an offset. How large effects, interactions and drift
// are is not estimated but averaged over a small grid, weighted by how well each explains the measurements. Everything is relative: one
// configuration over another, never a level.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "derive/tune/cholesky.h"
#include "derive/tune/settings_kernel.h"

namespace frx::derive::tune {

// In the order in which they were run; what was run between them and does not count takes a number as well.
struct MeasuredRun {
  std::size_t point = 0;
  double log_throughput = 0;
  double variance = 0;  // of the logarithm, from its steps and from what shifts a whole run
  double number = 0;    // of all runs, from 0
  bool is_race = false;
};

struct Estimate {
  double mean = 0, variance = 0;
};

class ResponseModel {
 public:
  // O(grid * (n^3 + n * points)) for n runs. At least one run.
  ResponseModel(std::span<const Settings> points, std::vector<MeasuredRun> runs);

  // Of the logarithm of the ratio of throughputs, without drift and noise.
  Estimate gain(std::size_t point, std::size_t over) const;
  // By how much `point` is expected to be faster than `over`, counted as 0 where it is slower.
  double expected_improvement(std::size_t point, std::size_t over) const;
  // The probability that the logarithm of the ratio exceeds `least`.
  double probability(std::size_t point, std::size_t over, double least) const;

  // Of each run: by how much the machine was faster than in the first one, in the logarithm.
  std::vector<double> drift() const;
  // The sum of the drifts of all runs with these weights, of which there are as many as runs.
  Estimate weighted_drift(std::span<const double> weights) const;

  std::span<const MeasuredRun> runs() const { return runs_; }

 private:
  // One choice of how large effects, interactions and drift are.
  struct Member {
    double effect, interaction, drift;  // variances
    std::size_t scale;                  // of the kernel
    double weight = 0;
    Cholesky factor;
    std::vector<double> solved;  // (K + noise)^-1 y
  };
  double covariance(const Member& member, const SettingsKernel::Likeness& alike) const;
  Estimate gain_in(const Member& member, std::size_t point, std::size_t over) const;
  Estimate drift_in(const Member& member, std::span<const double> weights) const;
  void add_member(double effect, double interaction, double drift, std::size_t scale);
  void weigh_members(std::vector<double> log_likelihoods);

  SettingsKernel kernel_;
  std::vector<MeasuredRun> runs_;
  std::vector<double> values_;                                // log throughput less that of the first run
  std::vector<std::vector<SettingsKernel::Likeness>> alike_;  // for each length, of each point with each run
  std::vector<Member> members_;
  std::vector<double> log_likelihoods_;
};

}  // namespace frx::derive::tune
