#include "report/baselines.h"

#include <gtest/gtest.h>

#include "report/ncu_times.h"

namespace frx::report {
namespace {

using derive::compare::Answer;

ComparedRun run_of(std::string source, double median_ns) {
  ComparedRun side;
  side.label = side.source = std::move(source);
  side.evidence = "event stream";
  side.has_steps = true;
  for (const double part : {0.999, 1.0, 1.001, 1.0, 0.999, 1.001, 1.0, 1.0}) side.step_ns.push_back(median_ns * part);
  return side;
}

NcuReport profile_of(double us) {
  Kernel kernel;
  kernel.name = kernel.short_name = "k";
  kernel.launches = kernel.timed_launches = 1;
  kernel.duration_us = us;
  NcuReport report;
  report.source = fmt::format("{}.csv", us);
  report.launches = report.timed_launches = 1;
  report.duration_us = us;
  report.kernels = {kernel};
  return report;
}

std::string refusal(const ComparedRun& first, const ComparedRun& other) {
  const auto spread = spread_of_runs(first, std::span(&other, 1));
  return spread ? "" : spread.error().message;
}

TEST(Baselines, WhatTheyDifferByRaisesTheFloorOfRuns) {
  const ComparedRun first = run_of("a1", 100), second = run_of("b", 94);
  EXPECT_EQ(compare(first, nullptr, second, nullptr, 0.02).judgement.answer, Answer::better);
  const std::vector<ComparedRun> further = {run_of("a2", 104), run_of("a3", 97), run_of("a4", 101)};
  const auto spread = spread_of_runs(first, further).value();
  EXPECT_EQ(spread.runs, 4u);
  const RunComparison found = compare(first, nullptr, second, nullptr, 0.02, spread);
  EXPECT_EQ(found.judgement.answer, Answer::cannot_tell);
  EXPECT_EQ(found.judgement.doubt, derive::compare::Doubt::within_noise);
  EXPECT_GT(found.noise_floor, 0.15);
  EXPECT_NE(found.notes.back().find("4 runs of one configuration differ by up to 7.2 %"), std::string::npos) << found.notes.back();
}

TEST(Baselines, TwoThatAreFarApartTellNothingAndSaySo) {
  const ComparedRun first = run_of("a1", 100), far = run_of("a2", 600);
  const auto spread = spread_of_runs(first, std::span(&far, 1)).value();
  EXPECT_FALSE(spread.tells());
  EXPECT_EQ(
      words_for(spread, spread.share_less()),
      "2 runs of one configuration differ by up to 500 %, which are too few or too different to tell what to expect of a further one");
  EXPECT_EQ(compare(first, nullptr, run_of("b", 1), nullptr, 0.02, spread).judgement.answer, Answer::cannot_tell);
}

TEST(Baselines, TheFloorIsNeverLowered) {
  const ComparedRun first = run_of("a1", 100);
  const std::vector<ComparedRun> further = {run_of("a2", 100.01), run_of("a3", 100.02)};
  EXPECT_EQ(compare(first, nullptr, run_of("b", 99), nullptr, 0.02, spread_of_runs(first, further).value()).noise_floor, 0.02);
  const std::vector<NcuReport> profiles = {profile_of(100.01), profile_of(100)};
  EXPECT_EQ(judge_profiles(profile_of(100), profile_of(98), spread_of_profiles(profile_of(100), profiles).value()).answer,
            Answer::cannot_tell);
}

TEST(Baselines, ProfilesThatDifferSayLessOfASmallDifference) {
  EXPECT_EQ(judge_profiles(profile_of(100), profile_of(90)).answer, Answer::better);
  const std::vector<NcuReport> further = {profile_of(103), profile_of(98)};
  const ProfileJudgement found = judge_profiles(profile_of(100), profile_of(90), spread_of_profiles(profile_of(100), further).value());
  EXPECT_EQ(found.answer, Answer::cannot_tell);
  EXPECT_NE(found.why_not.find("which 3 profiles of one configuration may differ by, too"), std::string::npos) << found.why_not;
  EXPECT_EQ(judge_profiles(profile_of(100), profile_of(50), found.baselines).answer, Answer::better);
}

TEST(Baselines, WhatIsNoFurtherRunIsRefused) {
  const ComparedRun first = run_of("a1", 100);
  EXPECT_EQ(refusal(first, run_of("a2", 101)), "");
  EXPECT_NE(refusal(first, run_of("a2", 100)).find("it has the very same steps"), std::string::npos);
  ComparedRun other = run_of("a2", 101);
  other.batch = 64;
  EXPECT_EQ(refusal(first, other), "compare: a2 is no further run of the configuration of a1: the batches differ");
  other = run_of("a2", 101);
  other.step_ns.resize(2);
  EXPECT_NE(refusal(first, other).find("it takes 3 steps on each side"), std::string::npos);
  other = run_of("a2", 101);
  other.has_steps = false;
  EXPECT_NE(refusal(first, other).find("marks no steps"), std::string::npos);
}

TEST(Baselines, AProfileOfAnotherGpuOrWithoutTimesIsRefused) {
  NcuReport first = profile_of(100), other = profile_of(101);
  first.compute_capability = "8.0";
  other.compute_capability = "9.0";
  EXPECT_FALSE(spread_of_profiles(first, std::span(&other, 1)));
  other = profile_of(101);
  other.duration_us.reset();
  EXPECT_FALSE(spread_of_profiles(first, std::span(&other, 1)));
}

}  // namespace
}  // namespace frx::report
