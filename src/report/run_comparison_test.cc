#include "report/run_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace frx::report {
namespace {

using derive::compare::Answer;

ComparedRun run(std::string label, std::vector<double> step_ns) {
  ComparedRun side;
  side.label = std::move(label);
  side.evidence = "event stream";
  side.has_steps = true;
  side.step_ns = std::move(step_ns);
  return side;
}

const std::vector<double> slow = {100, 101, 102, 100, 103, 99, 101, 100, 102, 101};
const std::vector<double> fast = {50, 51, 50, 49, 52, 50, 51, 50, 49, 51};

TEST(RunComparison, TimeOfAStepDecides) {
  const RunComparison found = compare(run("A", slow), nullptr, run("B", fast), nullptr, 0.02);
  EXPECT_EQ(found.judgement.answer, Answer::better);
  EXPECT_TRUE(found.parts.empty());  // no parts were recorded
}

TEST(RunComparison, OtherGpusAreNotComparedHoweverFarApart) {
  ComparedRun a = run("A", slow), b = run("B", fast);
  a.gpus = "NVIDIA A100";
  b.gpus = "NVIDIA H100";
  const RunComparison found = compare(a, nullptr, b, nullptr, 0.02);
  EXPECT_EQ(found.judgement.answer, Answer::cannot_tell);
  ASSERT_EQ(found.not_comparable.size(), 1u);
  EXPECT_EQ(found.not_comparable[0], "the GPUs differ: NVIDIA A100 and NVIDIA H100");
}

TEST(RunComparison, AGpuThatNobodyNamesIsTakenOnTrustAndSaidSo) {
  ComparedRun a = run("A", slow);
  a.gpus = "NVIDIA A100";
  const RunComparison found = compare(a, nullptr, run("B", fast), nullptr, 0.02);
  EXPECT_EQ(found.judgement.answer, Answer::better);
  EXPECT_EQ(found.notes.front(), "B does not name its GPU: that both ran on the same one is taken on trust");
}

// The change may be a new driver: it is reported, and the steps are compared.
TEST(RunComparison, OtherSoftwareIsSaid) {
  ComparedRun a = run("A", slow), b = run("B", fast);
  a.machine = {"node1", "", "535.104", "2.3.0", ""};
  b.machine = {"node1", "", "550.54", "2.3.0", "3.12"};
  const RunComparison found = compare(a, nullptr, b, nullptr, 0.02);
  EXPECT_EQ(found.judgement.answer, Answer::better);
  EXPECT_EQ(found.notes.front(), "not the same driver: 535.104 and 550.54; the difference may be its doing");
  EXPECT_EQ(std::ranges::count_if(found.notes, [](const std::string& note) { return note.starts_with("not the same"); }), 1);
}

// Twice the batch in 1.5 times the time is faster, not slower.
TEST(RunComparison, OtherBatchesAreComparedBySample) {
  ComparedRun a = run("A", fast), b = run("B", {75, 76, 75, 74, 77, 75, 76, 75, 74, 76});
  a.batch = 32;
  b.batch = 64;
  const RunComparison found = compare(a, nullptr, b, nullptr, 0.02);
  EXPECT_TRUE(found.per_sample);
  EXPECT_EQ(found.judgement.answer, Answer::better);
  EXPECT_NEAR(found.judgement.ratio.value(), 0.75, 0.01);
}

TEST(RunComparison, SaysHowManyStepsWouldTell) {
  const RunComparison found = compare(run("A", {100, 120, 90, 110}), nullptr, run("B", {90, 108, 81, 99}), nullptr, 0.02);
  EXPECT_EQ(found.judgement.answer, Answer::cannot_tell);
  ASSERT_TRUE(found.steps_needed.has_value());
  EXPECT_GT(*found.steps_needed, 4);
}

TEST(RunComparison, WithoutStepsNothingIsCompared) {
  ComparedRun b = run("B", fast);
  b.has_steps = false;
  const RunComparison found = compare(run("A", slow), nullptr, b, nullptr, 0.02);
  EXPECT_EQ(found.judgement.answer, Answer::cannot_tell);
  EXPECT_EQ(found.not_comparable.front(), "B marks no steps: call prof.step() after each one");
}

}  // namespace
}  // namespace frx::report
