#include "derive/compare/noise_floor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "derive/compare/two_samples.h"

namespace frx::derive::compare {
namespace {

double bound(const std::vector<double>& times) { return spread_of(times).bound; }

TEST(BaselineSpread, OneRunTellsNothing) {
  EXPECT_EQ(bound({}), 0);
  EXPECT_EQ(bound({5}), 0);
  EXPECT_EQ(spread_of(std::vector<double>{5, 0, -1, NAN}).runs, 1u);
}

TEST(BaselineSpread, EqualRunsHaveNone) { EXPECT_EQ(bound({5, 5, 5}), 0); }

TEST(BaselineSpread, GrowsWithTheDifferencesAndShrinksWithTheNumberOfRuns) {
  EXPECT_GT(bound({1, 1.02, 1.04}), bound({1, 1.01, 1.02}));
  EXPECT_GT(bound({1, 1.02}), bound({1, 1.02, 1, 1.02}));
  EXPECT_NEAR(bound({1, std::exp(0.01), std::exp(0.02)}), 9.925 * std::sqrt(2) * 0.01, 1e-9);
  EXPECT_NEAR(spread_of(std::vector<double>{1, 1.02, 1.04}).largest, 0.04, 1e-12);
}

TEST(BaselineSpread, DoesNotDependOnTheUnitOrTheOrder) { EXPECT_NEAR(bound({1, 1.02, 1.05}), bound({1050, 1000, 1020}), 1e-12); }

TEST(BaselineSpread, AShareNeverReachesAllOfTheTime) {
  EXPECT_LE(spread_of(std::vector<double>{1, 1e9}).share_less(), 1);
  EXPECT_NEAR(spread_of(std::vector<double>{1, 1.001, 1.002}).share_less(), spread_of(std::vector<double>{1, 1.001, 1.002}).share_more(),
              2e-4);
}

// One run of 30 steps of median 1, which scatter by 2 %; the run as a whole by `drift`.
std::vector<double> run(std::mt19937_64& random, double drift) {
  std::normal_distribution<double> of_run(0, drift), of_step(0, 0.02);
  const double moved = of_run(random);
  std::vector<double> times;
  for (int i = 0; i < 30; ++i) times.push_back(std::exp(moved + of_step(random)));
  return times;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return median_of_sorted(values);
}

// How many of a thousand pairs of runs of one program are called different, when the floor is made from `baselines` runs of it.
int false_alarms_of_profiles(std::size_t baselines, double drift) {
  std::mt19937_64 random(17 + baselines);
  int alarms = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::vector<double> first = run(random, drift), second = run(random, drift);
    std::vector<double> medians = {median(first)};
    while (medians.size() < baselines) medians.push_back(median(run(random, drift)));
    const double floor = std::max(default_noise_floor, spread_of(medians).share_less());
    alarms += judge(first, second, floor).answer != Answer::cannot_tell;
  }
  return alarms;
}

// Between runs 5 %, within a run 2 %: the steps of one run a side are not enough evidence.
TEST(BaselineSpread, RunsThatDriftAreNotCalledDifferent) {
  EXPECT_GT(false_alarms_of_profiles(1, 0.05), 300);
  for (const std::size_t baselines : {2u, 3u, 5u}) EXPECT_LE(false_alarms_of_profiles(baselines, 0.05), 10) << baselines;
}

}  // namespace
}  // namespace frx::derive::compare
