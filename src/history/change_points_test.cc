#include "history/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace frx::history {
namespace {

// Normal noise of one percent, or less, with autocorrelation.
std::vector<double> noisy(std::size_t count, double sigma, double correlation, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  double last = normal(random);
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(100 * std::exp(sigma * last));
    last = correlation * last + std::sqrt(1 - correlation * correlation) * normal(random);
  }
  return values;
}

TEST(ChangePoints, AStepIsFoundWhereItIs) {
  std::vector<double> values = noisy(400, 0.005, 0.3, 1);
  for (std::size_t i = 300; i < values.size(); ++i) values[i] *= 1.03;
  const ChangePoints changes = find_changes(values);
  ASSERT_EQ(changes.found.size(), 1u);
  EXPECT_NEAR(static_cast<double>(changes.found[0].at), 300, 3);
  EXPECT_LE(changes.found[0].detected_at, 320u);
  EXPECT_NEAR(changes.found[0].ratio, 1.03, 0.006);
}

TEST(ChangePoints, AStepBackIsFoundToo) {
  std::vector<double> values = noisy(600, 0.005, 0, 2);
  for (std::size_t i = 300; i < 400; ++i) values[i] *= 0.95;
  const ChangePoints changes = find_changes(values);
  ASSERT_EQ(changes.found.size(), 2u);
  EXPECT_LT(changes.found[0].ratio, 1);
  EXPECT_GT(changes.found[1].ratio, 1);
}

TEST(ChangePoints, NoiseAloneIsNone) {
  for (const double correlation : {0.0, 0.5, 0.9})
    EXPECT_TRUE(find_changes(noisy(5000, 0.01, correlation, 3)).found.empty()) << correlation;
}

TEST(ChangePoints, SingleSlowRunsAreNone) {
  std::vector<double> values = noisy(1000, 0.005, 0, 4);
  for (std::size_t i = 40; i < values.size(); i += 37) values[i] *= 2;
  EXPECT_TRUE(find_changes(values).found.empty());
}

TEST(ChangePoints, ASlowDriftIsNone) {
  std::vector<double> values = noisy(3000, 0.005, 0.5, 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= std::exp(3e-5 * static_cast<double>(i));
  EXPECT_TRUE(find_changes(values).found.empty());
}

TEST(ChangePoints, ACountThatNeverVariesChangesAtOnce) {
  std::vector<double> values(80, 1000.0);
  values.resize(100, 1020.0);
  const ChangePoints changes = find_changes(values);
  ASSERT_EQ(changes.found.size(), 1u);
  EXPECT_EQ(changes.found[0].at, 80u);
  EXPECT_NEAR(changes.found[0].ratio, 1.02, 1e-9);
}

TEST(ChangePoints, FewValuesConcludeNothing) {
  std::vector<double> values = noisy(fewest_for_changes - 2, 0.01, 0, 6);
  EXPECT_FALSE(find_changes(values).is_tested());
  EXPECT_FALSE(find_changes(values).smallest());
  EXPECT_TRUE(find_changes(noisy(fewest_for_changes, 0.01, 0, 6)).is_tested());
  EXPECT_FALSE(find_changes({}).is_tested());
}

TEST(ChangePoints, ValuesWithoutALogarithmAreNotLookedAt) {
  std::vector<double> values = noisy(200, 0.01, 0, 7);
  values[100] = 0;
  const ChangePoints changes = find_changes(values);
  EXPECT_TRUE(changes.has_other_values);
  EXPECT_FALSE(changes.is_tested());
}

TEST(ChangePoints, WhatIsSaidToBeFoundIsFound) {
  const std::vector<double> values = noisy(1000, 0.01, 0.3, 8);
  const std::optional<std::size_t> within = find_changes(values).found_within(0.03);
  ASSERT_TRUE(within);
  std::vector<double> longer = noisy(1000 + 4 * *within, 0.01, 0.3, 8);
  for (std::size_t i = 1000; i < longer.size(); ++i) longer[i] *= 1.04;
  const ChangePoints changes = find_changes(longer);
  ASSERT_FALSE(changes.found.empty());
  EXPECT_LE(changes.found.back().detected_at, 1000 + 2 * *within);
}

// What is found does not depend on what comes later.
TEST(ChangePoints, AreFoundAsValuesArrive) {
  std::vector<double> values = noisy(500, 0.005, 0.3, 9);
  for (std::size_t i = 200; i < values.size(); ++i) values[i] *= 1.05;
  const ChangePoints all = find_changes(values);
  ASSERT_FALSE(all.found.empty());
  const std::size_t seen = all.found[0].detected_at + 1;
  EXPECT_EQ(find_changes(std::span(values).first(seen)).found.size(), 1u);
  EXPECT_TRUE(find_changes(std::span(values).first(seen - 1)).found.empty());
}

}  // namespace
}  // namespace frx::history
