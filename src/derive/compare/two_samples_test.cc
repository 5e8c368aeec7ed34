#include "derive/compare/two_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace frx::derive::compare {
namespace {

using Times = std::vector<double>;
using Random = std::mt19937_64;

Times repeated(std::size_t count, const std::function<double()>& draw) {
  Times times(count);
  for (double& time : times) time = draw();
  return times;
}

// How often runs of one and the same program are called different, of `rounds`.
double false_alarms(int rounds, const std::function<Times()>& run) {
  int alarms = 0;
  for (int i = 0; i < rounds; ++i) {
    const Times first = run(), second = run();
    alarms += judge(first, second, 0).answer != Answer::cannot_tell;  // without a noise floor
  }
  return static_cast<double>(alarms) / rounds;
}

constexpr int rounds = 10'000;
// 1 %, and what chance adds to 10,000 rounds of exactly that: three standard errors.
constexpr double allowed = 0.01 + 3 * 0.001;

TEST(TwoSamples, ACleanHalvingIsBetterFromThreeValuesOn) {
  const Judgement found = judge(Times{100, 101, 99}, Times{50, 50.5, 49.5});
  EXPECT_EQ(found.answer, Answer::better);
  EXPECT_NEAR(found.ratio.value(), 0.5, 1e-9);
  EXPECT_LT(found.low.value(), 0.5);
  EXPECT_GT(found.high.value(), 0.5);
}

TEST(TwoSamples, SwappingTheSidesSwapsTheAnswer) {
  const Times slow = {100, 103, 99, 101, 104, 98, 100, 102, 101}, fast = {70, 72, 71, 69, 70, 73, 71, 70, 68, 75};
  const Judgement there = judge(slow, fast), back = judge(fast, slow);
  EXPECT_EQ(there.answer, Answer::better);
  EXPECT_EQ(back.answer, Answer::worse);
  EXPECT_NEAR(there.ratio.value() * back.ratio.value(), 1, 1e-9);
  EXPECT_NEAR(there.low.value() * back.high.value(), 1, 1e-9);
}

TEST(TwoSamples, AFileComparedWithItselfIsNoWinner) {
  const Times times = {100, 103, 99, 101, 104, 98, 100, 102, 101, 100, 99, 103};
  const Judgement found = judge(times, times);
  EXPECT_EQ(found.answer, Answer::cannot_tell);
  EXPECT_NEAR(found.ratio.value(), 1, 1e-9);
}

TEST(TwoSamples, EqualTimesAreWithinTheNoiseNotUndecided) {
  const Judgement found = judge(Times(10, 5.0), Times(10, 5.0));
  EXPECT_EQ(found.answer, Answer::cannot_tell);
  EXPECT_EQ(found.doubt, Doubt::within_noise);
}

TEST(TwoSamples, ACertainDifferenceBelowTheNoiseFloorIsNobodysMerit) {
  const Times first(50, 100.0), second(50, 99.0);  // 1 %, without any scatter
  EXPECT_EQ(judge(first, second).answer, Answer::cannot_tell);
  EXPECT_EQ(judge(first, second).doubt, Doubt::within_noise);
  EXPECT_EQ(judge(first, second, 0.005).answer, Answer::better);
}

TEST(TwoSamples, TwoValuesTellNothingHoweverFarApart) {
  const Judgement found = judge(Times{100, 100}, Times{10, 10});
  EXPECT_EQ(found.answer, Answer::cannot_tell);
  EXPECT_EQ(found.doubt, Doubt::too_few);
  EXPECT_NEAR(found.ratio.value(), 0.1, 1e-9);
  EXPECT_FALSE(found.low.has_value());
}

TEST(TwoSamples, NothingMeasuredIsNoRatio) {
  EXPECT_FALSE(judge(Times{}, Times{1, 2, 3}).ratio.has_value());
  EXPECT_FALSE(judge(Times{0, -1}, Times{1, 2, 3}).ratio.has_value());
}

TEST(TwoSamples, OneStepThatWaitedForTheDiskDoesNotDecide) {
  Times first(20), second(20);
  for (std::size_t i = 0; i < 20; ++i) {
    first[i] = 100 + static_cast<double>(i % 5);
    second[i] = 100 + static_cast<double>((i + 2) % 5);
  }
  second[7] = 9000;
  EXPECT_EQ(judge(first, second).answer, Answer::cannot_tell);
}

TEST(TwoSamples, AnOutlierDoesNotHideAGain) {
  Times first(20), second(20);
  for (std::size_t i = 0; i < 20; ++i) {
    first[i] = 100 + static_cast<double>(i % 5);
    second[i] = 80 + static_cast<double>((i + 2) % 5);
  }
  second[7] = 9000;
  EXPECT_EQ(judge(first, second).answer, Answer::better);
}

// With as few steps as most recordings have.
TEST(TwoSamples, OneOutlyingStepOfAFewDoesNotHideAGainEither) {
  for (const std::size_t count : {5u, 6u, 8u, 12u, 19u}) {
    Times first(count), second(count);
    for (std::size_t i = 0; i < count; ++i) {
      first[i] = 100 + static_cast<double>(i % 3);
      second[i] = 70 + static_cast<double>((i + 2) % 3);
    }
    for (const double outlier : {900.0, 20.0}) {
      Times disturbed = second;
      disturbed[count / 2] = outlier;
      EXPECT_EQ(judge(first, disturbed).answer, Answer::better) << count << ' ' << outlier;
      EXPECT_EQ(judge(disturbed, first).answer, Answer::worse) << count << ' ' << outlier;
      disturbed = first;
      disturbed[count / 2] = outlier;
      EXPECT_EQ(judge(first, disturbed).answer, Answer::cannot_tell) << count << ' ' << outlier;
    }
  }
}

TEST(TwoSamples, ADriftingRunIsWorthFewerValues) {
  Times drifting(40);
  for (std::size_t i = 0; i < 40; ++i) drifting[i] = 100 + static_cast<double>(i);
  const Judgement found = judge(drifting, drifting);
  EXPECT_LT(found.first_effective, 5);
}

// The middle of the interval is the median of all ratios, found without storing them.
TEST(TwoSamples, TheRatioIsTheMedianOfAllRatios) {
  Random random(7);
  std::lognormal_distribution<double> spread(0, 0.5);
  const Times first = repeated(31, [&] { return spread(random); }), second = repeated(24, [&] { return 1.3 * spread(random); });
  Times ratios;
  for (const double a : first)
    for (const double b : second) ratios.push_back(b / a);
  std::ranges::sort(ratios);
  const double median = std::sqrt(ratios[ratios.size() / 2 - 1] * ratios[ratios.size() / 2]);
  EXPECT_NEAR(judge(first, second).ratio.value(), median, 1e-9);
}

TEST(TwoSamples, TheUpperMedianIsOneOfTheValues) {
  std::vector<double> none, three = {3, 1, 2}, four = {4, 1, 3, 2};
  EXPECT_EQ(upper_median(none), 0);
  EXPECT_EQ(upper_median(three), 2);
  EXPECT_EQ(upper_median(four), 3);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 2.5);
}

TEST(TwoSamplesSimulation, RunsOfOneProgramAreSeldomCalledDifferent) {
  for (const std::size_t count : {3u, 5u, 8u, 20u, 60u}) {
    Random random(count);
    std::lognormal_distribution<double> spread(0, 0.1);
    EXPECT_LE(false_alarms(rounds, [&] { return repeated(count, [&] { return spread(random); }); }), allowed) << count << " values";
  }
}

TEST(TwoSamplesSimulation, NotWithOutliersAndSkewEither) {
  for (const std::size_t count : {3u, 5u, 6u, 8u, 12u, 19u, 20u, 60u}) {
    Random random(count);
    std::exponential_distribution<double> tail(1);
    std::bernoulli_distribution hiccup(0.05);
    const auto draw = [&] { return 100 + 3 * tail(random) + (hiccup(random) ? 300 : 0); };
    EXPECT_LE(false_alarms(rounds, [&] { return repeated(count, draw); }), allowed) << count << " values";
  }
}

// Sides of unequal size with skewed times invalidate Welch's own degrees of freedom.
TEST(TwoSamplesSimulation, NotWithSidesOfUnequalLength) {
  Random random(11);
  std::exponential_distribution<double> tail(1);
  std::size_t turn = 0;
  EXPECT_LE(false_alarms(rounds, [&] { return repeated(++turn % 2 == 0 ? 4 : 40, [&] { return 100 + 10 * tail(random); }); }), allowed);
}

TEST(TwoSamplesSimulation, NotWhenNeighbouringStepsResembleEachOther) {
  Random random(3);
  std::normal_distribution<double> news(0, 0.02);
  EXPECT_LE(false_alarms(rounds,
                         [&] {
                           double state = news(random) / std::sqrt(1 - 0.25);
                           return repeated(60, [&] { return std::exp(state = 0.5 * state + news(random)); });
                         }),
            allowed);
}

TEST(TwoSamplesSimulation, ATenthIsFoundInTwentyStepsOfUsualScatter) {
  Random random(5);
  std::lognormal_distribution<double> spread(0, 0.05);
  int found = 0;
  for (int i = 0; i < 1000; ++i) {
    const Times first = repeated(20, [&] { return spread(random); }), second = repeated(20, [&] { return 0.9 * spread(random); });
    found += judge(first, second).answer == Answer::better;
  }
  EXPECT_GE(found, 900);
}

}  // namespace
}  // namespace frx::derive::compare
