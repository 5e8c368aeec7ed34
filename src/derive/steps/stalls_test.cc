#include "derive/steps/stalls.h"

#include <gtest/gtest.h>

#include "derive/steps/testing.h"

namespace frx::derive::steps {
namespace {

using model::HostTime;
using model::RunFact;
using model::StepTable;
using testing::set;
using testing::steps_of;
using testing::traced;

std::string stall_of(const StepTable& table) { return dominant_stall({&table, 1}, {}, 0); }

std::vector<std::int64_t> worst(const StepTable& table, std::string_view label, std::size_t skipped = 0) {
  std::vector<std::int64_t> steps;
  for (const model::StepValue& one : worst_steps({&table, 1}, skipped, label)) steps.push_back(one.step);
  return steps;
}

using Ids = std::vector<std::int64_t>;

// As in docs/contract.md: the largest sum, and the first of equal ones.
TEST(DominantStall, OfTheProgramIsTheLargestSum) {
  StepTable table = steps_of({100, 100});
  EXPECT_EQ(stall_of(table), "unknown");
  set(table, HostTime::forward, {10, 0});
  EXPECT_EQ(stall_of(table), "compute_bound");
  set(table, HostTime::sync, {1, 0});
  EXPECT_EQ(stall_of(table), "sync_bound");
  set(table, HostTime::host_to_device, {0, 1});
  EXPECT_EQ(stall_of(table), "copy_bound");
}

TEST(DominantStall, OfATraceIsNoSmallPartOfAStep) {
  model::RunFacts facts;
  EXPECT_EQ(dominant_stall(facts), "unknown");
  facts.set(RunFact::compute_fraction, 0.9);
  facts.set(RunFact::sync_fraction, 0.04);
  EXPECT_EQ(dominant_stall(facts), "compute_bound");
  facts.set(RunFact::communication_fraction, 0.06);
  EXPECT_EQ(dominant_stall(facts), "communication_bound");
  const StepTable table = traced({100}, {50});
  EXPECT_EQ(dominant_stall({&table, 1}, facts, 0), "communication_bound");
}

TEST(WorstSteps, AreThreeOfThoseThatShowIt) {
  StepTable table = steps_of({100, 100, 100, 100, 100});
  set(table, HostTime::sync, {10, 0, 30, 20, 40});
  EXPECT_EQ(worst(table, "sync_bound"), (Ids{5, 3, 4}));
  EXPECT_EQ(worst(table, "sync_bound", 3), (Ids{5, 4}));
  EXPECT_EQ(worst(table, "input_bound"), Ids{});
  EXPECT_EQ(worst(table, "memory_pressure"), Ids{});
}

TEST(WorstSteps, OfAnIdleGpuAreThoseInWhichItDidLeast) {
  EXPECT_EQ(worst(traced({100, 100, 100}, {50, 20, 100}), "underutilized_gpu"), (Ids{2, 1}));
  StepTable table = steps_of({100, 100});
  EXPECT_EQ(worst(table, "launch_bound"), Ids{});
  set(table, HostTime::forward, {80, 60});
  EXPECT_EQ(worst(table, "launch_bound"), (Ids{2, 1}));
  table.source = model::StepSource::profiler;
  EXPECT_EQ(worst(table, "launch_bound"), Ids{}) << "phases of a trace are those of the CPU";
}

TEST(WorstSteps, OfShapesAreAllThatChanged) {
  StepTable table = traced({100, 100, 100, 100, 100, 100}, {1, 1, 1, 1, 1, 1});
  testing::set_changes(table, {std::nullopt, true, true, true, true, false});
  EXPECT_EQ(worst(table, "shape_instability"), (Ids{2, 3, 4, 5}));
  EXPECT_EQ(worst(table, "shape_instability", 2), (Ids{4, 5})) << "the first one changed against a step that is left out";
}

}  // namespace
}  // namespace frx::derive::steps
