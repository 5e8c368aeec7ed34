#include "report/kernels/profile_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::report {
namespace profile_diff_test {  // files are compiled in groups
namespace {

model::FullProfile profile_with(std::vector<double> samples) {
  model::FullProfile profile;
  profile.kernel.name = "gemm";
  profile.kernel.dimensions = {512, 512, 512};
  profile.hardware.gpu = "NVIDIA H100 80GB HBM3";
  profile.hardware.gpu_sm = "9.0";
  profile.roofline.measured_clock_mhz = 1755;
  profile.timing.wall_clock_time_us = samples[samples.size() / 2];
  profile.timing.samples_us = std::move(samples);
  return profile;
}
ProfileDiff diff(const model::FullProfile& before, const model::FullProfile& after) {
  return diff_profiles(before, after, "a.json", "b.json");
}

const std::vector<double> around_ten = {10, 10.02, 9.98, 10.01, 9.99, 10.01};

// cgp R17
TEST(ProfileDiff, SamplesDecideInBothDirections) {
  const std::vector<double> around_eight = {8, 8.1, 7.9, 8.05, 7.95, 8.02};
  const ProfileDiff better = diff(profile_with(around_ten), profile_with(around_eight));
  EXPECT_EQ(outcome_of(better), "improved");
  EXPECT_EQ(exit_code_of(better), 0);
  const ProfileDiff worse = diff(profile_with(around_eight), profile_with(around_ten));
  EXPECT_EQ(outcome_of(worse), "regressed");
  EXPECT_EQ(exit_code_of(worse), 1);
  EXPECT_EQ(outcome_of(diff(profile_with(around_ten), profile_with(around_ten))), "same");
  EXPECT_EQ(exit_code_of(diff(profile_with(around_ten), profile_with(around_ten))), 0);
}

// cgp R17, cgp D20: no samples are made up of a mean and a deviation
TEST(ProfileDiff, SummariesAreNoEvidence) {
  model::FullProfile before = profile_with({10}), after = profile_with({15});
  for (model::FullProfile* one : {&before, &after}) {
    one->timing.samples_us.clear();
    one->timing.samples = 30;
    one->timing.stddev_us = 0.1;
  }
  const ProfileDiff result = diff(before, after);
  EXPECT_EQ(outcome_of(result), "cannot_tell");
  EXPECT_EQ(exit_code_of(result), 3);
  EXPECT_THAT(result.why_not, ::testing::HasSubstr("raw samples"));
  ASSERT_FALSE(result.metrics.empty());
  EXPECT_EQ(result.metrics[0].change_pct, 50);
  EXPECT_EQ(result.metrics[0].verdict, MetricChange::Verdict::regressed);
}

// cgp R17, cgp D20: launches that take the same time to the digit
TEST(ProfileDiff, NoScatterAtAllIsAnExactChange) {
  const ProfileDiff result = diff(profile_with({10, 10, 10, 10}), profile_with({15, 15, 15, 15}));
  EXPECT_EQ(outcome_of(result), "regressed");
  EXPECT_DOUBLE_EQ(result.judgement.ratio.value_or(0), 1.5);
  EXPECT_DOUBLE_EQ(result.judgement.low.value_or(0), 1.5);
  EXPECT_DOUBLE_EQ(result.judgement.high.value_or(0), 1.5);
}

// cgp R17, cgp D20
TEST(ProfileDiff, OneSampleASideCannotTell) {
  const ProfileDiff result = diff(profile_with({10}), profile_with({15}));
  EXPECT_EQ(outcome_of(result), "cannot_tell");
  EXPECT_THAT(result.why_not, ::testing::HasSubstr("1 sample before"));
}

// cgp R17
TEST(ProfileDiff, WhatDiffersBesidesTheKernelIsNotCompared) {
  const model::FullProfile before = profile_with(around_ten);
  const auto refusal = [&](auto change) {
    model::FullProfile after = before;
    change(after);
    const ProfileDiff result = diff(before, after);
    EXPECT_EQ(exit_code_of(result), result.is_comparable() ? 0 : 2);
    return result.is_comparable() ? std::string() : result.not_comparable.front();
  };
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_THAT(refusal([](auto& p) { p.hardware.gpu = "Tesla T4"; }), ::testing::HasSubstr("the GPU"));
  EXPECT_THAT(refusal([](auto& p) { p.kernel.name = "copy"; }), ::testing::HasSubstr("the kernel"));
  EXPECT_THAT(refusal([](auto& p) { p.kernel.dimensions = {256, 256, 256}; }), ::testing::HasSubstr("the problem"));
  EXPECT_THAT(refusal([](auto& p) { p.roofline.measured_clock_mhz = 1200; }), ::testing::HasSubstr("the clock"));
  EXPECT_EQ(refusal([](auto& p) { p.roofline.measured_clock_mhz = 1760; }), "");
  EXPECT_THAT(refusal([](auto& p) { p.timing.wall_clock_time_us.reset(); }), ::testing::HasSubstr("no time"));
  model::FullProfile old_driver = before, new_driver = before;
  old_driver.hardware.driver = "550.54";
  new_driver.hardware.driver = "570.86";
  EXPECT_EQ(exit_code_of(diff(old_driver, new_driver)), 2);
  // cgp R10: estimates are no measurement
  EXPECT_THAT(refusal([](auto& p) { p.estimated = true; }), ::testing::HasSubstr("estimate"));
}

TEST(ProfileDiff, MetricsHaveADirectionAndABandOfTwoPercent) {
  model::FullProfile before = profile_with(around_ten), after = before;
  before.gpu_compute.achieved_occupancy_pct = 50;
  after.gpu_compute.achieved_occupancy_pct = 40;
  before.gpu_memory.l2_hit_rate_pct = 50;
  after.gpu_memory.l2_hit_rate_pct = 50.9;
  before.throughput.tflops = 0;
  after.throughput.tflops = 0;
  const ProfileDiff result = diff(before, after);
  std::map<std::string_view, MetricChange::Verdict> verdicts;
  for (const MetricChange& one : result.metrics) verdicts[one.metric] = one.verdict;
  EXPECT_EQ(verdicts.at("achieved_occupancy_pct"), MetricChange::Verdict::regressed);
  EXPECT_EQ(verdicts.at("l2_hit_rate_pct"), MetricChange::Verdict::same);
  EXPECT_FALSE(verdicts.contains("tflops"));
  EXPECT_FALSE(verdicts.contains("sm_utilization_pct"));
  EXPECT_EQ(exit_code_of(result), 0);
}

}  // namespace
}  // namespace profile_diff_test
}  // namespace frx::report
