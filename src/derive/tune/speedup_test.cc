#include "derive/tune/speedup.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "derive/tune/run_times.h"

namespace frx::derive::tune {
namespace {

using Run = std::vector<double>;
using Runs = std::vector<Run>;

TEST(Speedup, IsTheRatioOfThroughputs) {
  const Speedup found = speedup_of(Runs{{10, 10, 10, 10, 10}}, Runs{{8, 8, 8, 8, 8}}, {});
  EXPECT_NEAR(found.value, 0.25, 1e-12);
  EXPECT_EQ(found.first, 5u);
  EXPECT_EQ(found.second, 5u);
  // Steps do not scatter, so only the noise of runs is open: 1 % each. With 1 / (1 + 1) runs: 1 + 10 / 2 = 6, and
  // z^2 = 6 / 5 * ln(6 / 0.05^2) = 9.340; half = sqrt(9.340 * 2) % = 4.322 %.
  EXPECT_NEAR(found.low, 1.25 * std::exp(-0.04322) - 1, 1e-5);
  EXPECT_NEAR(found.high, 1.25 * std::exp(0.04322) - 1, 1e-5);
}

TEST(Speedup, CountsTheStepsThatWait) {
  // Three quick steps and one that waits take as long as four even ones.
  EXPECT_NEAR(speedup_of(Runs{{20, 20, 20, 20}}, Runs{{10, 10, 10, 50}}, {}).value, 0, 1e-12);
}

TEST(Speedup, OfTooFewTimesIsOpen) {
  for (const auto& [first, second] : {std::pair<Runs, Runs>{{{10, 10}}, {{9}}}, {{{}}, {{9, 9}}}, {{{10, 11}}, {{9, 9.5}}}}) {
    const Speedup found = speedup_of(first, second, {});
    EXPECT_EQ(found.low, -1);
    EXPECT_TRUE(std::isinf(found.high));
  }
}

TEST(Speedup, SwappingTheSidesSwapsTheAnswer) {
  const Runs slow = {{100, 103, 99, 101, 104, 98, 100, 102}}, fast = {{70, 72, 71, 69, 70, 73, 71, 70}};
  const Speedup there = speedup_of(slow, fast, {}), back = speedup_of(fast, slow, {});
  EXPECT_NEAR((1 + there.value) * (1 + back.value), 1, 1e-9);
  EXPECT_NEAR((1 + there.low) * (1 + back.high), 1, 1e-9);
  EXPECT_GT(there.low, 0);
  EXPECT_LT(back.high, 0);
}

TEST(Speedup, RunsThatDifferWidenIt) {
  const Speedup alike = speedup_of(Runs{{10, 10, 10}, {10, 10, 10}}, Runs{{9, 9, 9}}, {});
  const Speedup apart = speedup_of(Runs{{9.5, 9.5, 9.5}, {10.5, 10.5, 10.5}}, Runs{{9, 9, 9}}, {});
  EXPECT_GT(apart.high - apart.low, 2 * (alike.high - alike.low));
}

TEST(Speedup, InvalidTimesAreLeftOut) {
  const Speedup found = speedup_of(Runs{{10, 0, 10, -1, 10}}, Runs{{8, 8, std::nan(""), 8}}, {});
  EXPECT_NEAR(found.value, 0.25, 1e-12);
  EXPECT_EQ(found.first, 3u);
}

// --- Looking after every step ---

struct StepNoise {
  double size, degrees, autocorrelation;  // 0 degrees: Gaussian
};

class Program {
 public:
  Program(std::uint64_t seed, const StepNoise& noise) : random_(seed), noise_(noise) {}

  Run run(std::size_t steps, double mean) {
    const double shift = std::exp(0.0075 * std::normal_distribution<double>()(random_));
    double deviation = draw();
    Run times;
    for (std::size_t i = 0; i < steps; ++i) {
      times.push_back(mean * shift * std::max(0.1, 1 + noise_.size * deviation));
      deviation = noise_.autocorrelation * deviation + std::sqrt(1 - noise_.autocorrelation * noise_.autocorrelation) * draw();
    }
    return times;
  }

 private:
  double draw() {
    if (noise_.degrees == 0) return std::normal_distribution<double>()(random_);
    return std::student_t_distribution<double>(noise_.degrees)(random_) / std::sqrt(noise_.degrees / (noise_.degrees - 2));
  }
  std::mt19937_64 random_;
  StepNoise noise_;
};

// Of comparisons of a program with itself, how many were ever called a difference: after each step of two runs a side.
double false_alarms_at_any_time(const StepNoise& noise, std::size_t rounds) {
  std::size_t alarms = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    Program program(round, noise);
    bool is_alarmed = false;
    Runs first = {program.run(20, 10)}, second;
    const auto look = [&](Runs& side) {
      const Run run = program.run(20, 10);
      side.emplace_back();
      for (const double time : run) {
        side.back().push_back(time);
        const Speedup seen = speedup_of(first, second, {});
        is_alarmed = is_alarmed || seen.low > 0 || seen.high < 0;
      }
    };
    look(second);
    look(second);
    look(first);
    alarms += is_alarmed ? 1 : 0;
  }
  return static_cast<double>(alarms) / static_cast<double>(rounds);
}

TEST(Speedup, LookingAfterEveryStepIsNoMoreOftenWrong) {
  constexpr std::size_t rounds = 1000;
  // 5 %, which chance does not exceed: three standard errors are 2 %.
  EXPECT_LE(false_alarms_at_any_time({0.05, 0, 0}, rounds), 0.05) << "Gaussian";
  EXPECT_LE(false_alarms_at_any_time({0.05, 3, 0}, rounds), 0.05) << "Student's t of 3 degrees";
  EXPECT_LE(false_alarms_at_any_time({0.05, 0, 0.3}, rounds), 0.05) << "autocorrelated";
  EXPECT_LE(false_alarms_at_any_time({0.15, 3, 0.3}, rounds), 0.05) << "all of it";
}

TEST(Speedup, OnePairOfRunsProvesFifteenPercent) {
  std::size_t proven = 0;
  for (std::size_t round = 0; round < 300; ++round) {
    Program program(round, {0.05, 3, 0});
    const Runs first = {program.run(20, 10)}, second = {program.run(20, 10 / 1.15)};
    proven += speedup_of(first, second, {}).low > 0 ? 1 : 0;
  }
  EXPECT_GE(proven, 285u);
}

TEST(Speedup, StepsInBurstsAreTakenTogether) {
  // Two workers: every other step waits for both. 12 ms a step, steady, against 26.
  std::vector<double> bursts, steady;
  for (int step = 0; step < 12; ++step) {
    bursts.push_back(step % 2 == 0 ? 22 + 0.1 * (step % 3) : 2);
    steady.push_back(26 + 0.1 * (step % 5));
  }
  EXPECT_EQ(burst_length(bursts), 2u);
  EXPECT_EQ(burst_length(steady), 1u);
  const std::vector<std::vector<double>> first = {steady}, second = {bursts};
  const Speedup speedup = speedup_of(first, second, {});
  EXPECT_NEAR(speedup.value, 26.17 / 12.05 - 1, 0.02);
  EXPECT_GT(speedup.low, 1.0);
}

}  // namespace
}  // namespace frx::derive::tune
