#include "report/bench_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::report {
namespace {

using derive::compare::Answer;
using ::testing::Contains;
using ::testing::HasSubstr;

// Runs of these milliseconds; kernel microseconds and checksums where given.
model::BenchSide side(const std::vector<double>& wall_ms, const std::vector<double>& kernel_us = {},
                      const std::vector<std::string>& checksums = {}) {
  model::BenchSide side;
  side.compile_ms = 100;
  for (std::size_t i = 0; i < wall_ms.size(); ++i) {
    model::BenchRun run;
    run.wall_ms = wall_ms[i];
    if (i < kernel_us.size()) run.kernel_us = kernel_us[i];
    if (i < checksums.size()) run.checksum = {checksums[i]};
    side.runs.push_back(run);
  }
  return side;
}

model::Bench bench(model::BenchSide before, model::BenchSide after) {
  model::Bench bench;
  bench.before = std::move(before);
  bench.after = std::move(after);
  return bench;
}

const std::vector<double> same_wall = {130, 131, 129, 130, 132};

TEST(BenchReport, KernelTimeDecidesOverTheProcess) {
  const model::Bench measured = bench(side(same_wall, {100, 101, 100, 99, 100}), side(same_wall, {50, 50, 51, 50, 49}));
  const BenchReport report = judge_bench(measured);
  ASSERT_NE(report.basis, nullptr);
  EXPECT_EQ(report.basis->key, "cuda_event");
  EXPECT_EQ(report.answer, Answer::better);
  EXPECT_THAT(report.notes, Contains(HasSubstr("the kernel got 2.00x as fast, the process did not")));
}

TEST(BenchReport, AKernelTimeOfOneSideAloneDecidesNothing) {
  const model::Bench measured = bench(side(same_wall, {100, 101, 100, 99, 100}), side(same_wall));
  EXPECT_EQ(judge_bench(measured).basis->key, "wall_clock");
  // Nor does a clock that is missing in some runs.
  const model::Bench partly = bench(side(same_wall, {100, 101, 100, 99, 100}), side(same_wall, {50}));
  EXPECT_EQ(judge_bench(partly).basis->key, "wall_clock");
}

TEST(BenchReport, ASideThatDidNotRunLeavesTheOthersTimes) {
  model::Bench measured = bench(side(same_wall, {100, 101, 100, 99, 100}), {});
  measured.after.compile_error = "no";
  const BenchReport report = judge_bench(measured);
  EXPECT_FALSE(report.ran());
  EXPECT_EQ(report.basis, nullptr);
  EXPECT_EQ(report.answer, Answer::cannot_tell);
  ASSERT_TRUE(report.clocks[0].timing[0]);
  EXPECT_EQ(report.clocks[0].timing[0]->median, 130);
  EXPECT_EQ(report.speedup("wall_clock"), std::nullopt);
}

TEST(BenchReport, TimingIsThatOfTheSample) {
  const model::Bench measured = bench(side({4, 1, 2, 3}), side({5}));
  const BenchReport report = judge_bench(measured);
  const BenchTiming before = *report.clocks[0].timing[0], after = *report.clocks[0].timing[1];
  EXPECT_EQ(before.median, 2.5);
  EXPECT_EQ(before.min, 1);
  EXPECT_EQ(before.max, 4);
  EXPECT_NEAR(before.stdev, 1.29099, 1e-5);
  EXPECT_EQ(after.stdev, 0);
  EXPECT_EQ(report.speedup("wall_clock"), 0.5);
}

TEST(BenchReport, ChecksumsThatDifferLeaveNoVerdict) {
  const model::Bench measured = bench(side(same_wall, {100, 101, 100, 99, 100}, {"7", "7", "7", "7", "7"}),
                                      side(same_wall, {1, 1, 1, 1, 1}, {"0", "0", "0", "0", "0"}));
  const BenchReport report = judge_bench(measured);
  EXPECT_EQ(report.outputs, BenchOutputs::differ);
  EXPECT_EQ(report.answer, Answer::cannot_tell);
  EXPECT_THAT(report.outputs_words, HasSubstr("7 before, 0 after"));
}

TEST(BenchReport, NumbersMayDifferByTheToleranceAndWordsMayNot) {
  const std::vector<double> one = {1};
  const auto outputs = [&](const std::string& before, const std::string& after) {
    const model::Bench measured = bench(side(one, {}, {before}), side(one, {}, {after}));
    return judge_bench(measured).outputs;
  };
  EXPECT_EQ(outputs("1000.00", "1000.05"), BenchOutputs::same);
  EXPECT_EQ(outputs("1000.00", "1000.20"), BenchOutputs::differ);
  EXPECT_EQ(outputs("0", "0"), BenchOutputs::same);
  EXPECT_EQ(outputs("0", "1e-9"), BenchOutputs::differ);  // only zero is near to zero
  EXPECT_EQ(outputs("a1b2", "a1b2"), BenchOutputs::same);
  EXPECT_EQ(outputs("a1b2", "a1b3"), BenchOutputs::differ);
  EXPECT_EQ(outputs("nan", "nan"), BenchOutputs::same);
  EXPECT_EQ(outputs("nan", "1"), BenchOutputs::differ);
}

// Atomics add in a different order each time.
TEST(BenchReport, AResultThatChangesFromRunToRunAllowsTheOtherSideAsMuch) {
  const std::vector<double> two = {1, 1};
  const model::Bench measured = bench(side(two, {}, {"1000", "1001"}), side(two, {}, {"1001.5", "1001.5"}));
  const BenchReport report = judge_bench(measured);
  EXPECT_EQ(report.outputs, BenchOutputs::unstable);
  EXPECT_THAT(report.notes, Contains(HasSubstr("changes from run to run")));
}

TEST(BenchReport, WhoDoesNotPrintAChecksumIsNotCheckedAndToldSo) {
  const model::Bench measured = bench(side(same_wall, {}, {"1", "1", "1", "1", "1"}), side(same_wall));
  const BenchReport report = judge_bench(measured);
  EXPECT_EQ(report.outputs, BenchOutputs::unknown);
  EXPECT_THAT(report.notes, Contains(HasSubstr("was not checked")));
}

TEST(BenchReport, WarmAndColdCachesThatDisagreeAreNoted) {
  model::Bench measured = bench(side(same_wall, {100, 101, 100, 99, 100}), side(same_wall, {50, 50, 51, 50, 49}));
  for (model::BenchRun& run : measured.before.runs) run.kernel_cold_us = 200;
  for (model::BenchRun& run : measured.after.runs) run.kernel_cold_us = 190;
  EXPECT_THAT(judge_bench(measured).notes, Contains(HasSubstr("with a cold L2 cache the change is worth 1.05x, with a warm one 2.00x")));
}

TEST(BenchReport, ClocksThatMovedAndThrottlingAreNoted) {
  model::Bench measured = bench(side(same_wall), side(same_wall));
  measured.gpu.emplace();
  measured.gpu->sm_clock_before_mhz = 1980;
  measured.gpu->sm_clock_after_mhz = 1400;
  measured.gpu->was_throttled = true;
  const BenchReport report = judge_bench(measured);
  EXPECT_THAT(report.notes, Contains(HasSubstr("1980 MHz before and 1400 MHz after")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("slowed down for heat or power")));
}

}  // namespace
}  // namespace frx::report
