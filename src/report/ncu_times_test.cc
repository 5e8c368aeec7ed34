#include "report/ncu_times.h"

#include <gtest/gtest.h>

namespace frx::report {
namespace {

using derive::compare::Answer;

// A profile of one kernel: its launches of one shape took this long.
NcuReport profile_with(const std::vector<double>& us, std::string_view name = "k") {
  Kernel kernel;
  kernel.name = kernel.short_name = std::string(name);
  kernel.launches = kernel.timed_launches = us.size();
  LaunchShape shape;
  shape.launches = us.size();
  for (const double one : us) {
    kernel.duration_us = kernel.duration_us.value_or(0) + one;
    shape.shortest_us = std::min(shape.shortest_us.value_or(one), one);
    shape.longest_us = std::max(shape.longest_us.value_or(one), one);
  }
  kernel.shapes = {shape};
  NcuReport report;
  report.launches = report.timed_launches = us.size();
  report.duration_us = kernel.duration_us;
  report.kernels = {kernel};
  return report;
}

Answer answer(const NcuReport& first, const NcuReport& second) { return judge_profiles(first, second).answer; }

TEST(ProfileTimes, LessTimeIsBetterAndMoreIsWorse) {
  EXPECT_EQ(answer(profile_with({100}), profile_with({90})), Answer::better);
  EXPECT_EQ(answer(profile_with({90}), profile_with({100})), Answer::worse);
}

TEST(ProfileTimes, AboutThreePercentAreNoise) {
  EXPECT_EQ(answer(profile_with({100}), profile_with({97.5})), Answer::cannot_tell);
  EXPECT_EQ(judge_profiles(profile_with({100}), profile_with({97.5})).why_not, "the difference is within 3 %, which is noise");
}

TEST(ProfileTimes, OneTickOfTheClockIsNothing) {
  EXPECT_EQ(answer(profile_with({0.992}), profile_with({0.96})), Answer::cannot_tell);
  EXPECT_EQ(answer(profile_with({0.992}), profile_with({0.896})), Answer::better);
}

TEST(ProfileTimes, LaunchesThatScatterMoreThanTheyDifferTellNothing) {
  EXPECT_EQ(answer(profile_with({100, 130, 115}), profile_with({100, 95, 105})), Answer::cannot_tell);
  EXPECT_EQ(answer(profile_with({100, 101, 102}), profile_with({90, 91, 90})), Answer::better);
}

TEST(ProfileTimes, OneKernelIsComparedByLaunchHoweverManyThereAre) {
  EXPECT_EQ(answer(profile_with({100, 100, 100, 100}), profile_with({90})), Answer::better);
}

TEST(ProfileTimes, SeveralKernelsAreComparedAsAWholeWhenAsMuchWasLaunched) {
  NcuReport two = profile_with({100, 100});
  two.kernels.push_back(two.kernels[0]);
  two.launches = two.timed_launches = 4;
  two.duration_us = 400;
  NcuReport faster = two;
  faster.duration_us = 300;
  EXPECT_EQ(answer(two, faster), Answer::better);
  faster.launches = 3;
  EXPECT_EQ(answer(two, faster), Answer::cannot_tell);
  EXPECT_FALSE(judge_profiles(two, faster).is_comparable);
}

TEST(ProfileTimes, OtherGpusAndMissingDurationsAreNotComparable) {
  NcuReport a = profile_with({100}), b = profile_with({50});
  a.compute_capability = "8.0";
  b.compute_capability = "9.0";
  EXPECT_EQ(judge_profiles(a, b).why_not, "they were measured on different GPUs");
  b.compute_capability = "8.0";
  EXPECT_TRUE(judge_profiles(a, b).is_comparable);
  a.gpu_name = "NVIDIA A100-SXM4-40GB";
  EXPECT_TRUE(judge_profiles(a, b).is_comparable);  // the other one has no name
  b.gpu_name = "NVIDIA A100-SXM4-80GB";
  EXPECT_EQ(judge_profiles(a, b).why_not, "they were measured on different GPUs, NVIDIA A100-SXM4-40GB and NVIDIA A100-SXM4-80GB");
  b = profile_with({});
  EXPECT_EQ(judge_profiles(a, b).why_not, "one side has no kernel durations");
}

TEST(ProfileOfKernel, IsFoundByFullShortOrPartialName) {
  NcuReport report = profile_with({1}, "void tiled<32>(float *)");
  report.kernels[0].short_name = "tiled";
  report.kernels.push_back(profile_with({5}, "naive(float *)").kernels[0]);
  for (const char* name : {"naive(float *)", "naive", "aiv"}) {
    const Result<NcuReport> alone = profile_of_kernel(report, name);
    ASSERT_TRUE(alone) << name;
    EXPECT_EQ(alone->kernels.size(), 1u);
    EXPECT_EQ(alone->duration_us, 5);
  }
  EXPECT_EQ(profile_of_kernel(report, "float").error().message, "several kernels are called 'float'");
  EXPECT_EQ(profile_of_kernel(report, "other").error().hint, "there are: tiled, naive(float *)");
}

}  // namespace
}  // namespace frx::report
