#include "derive/run/record_facts.h"

#include <gtest/gtest.h>

namespace frx::derive {
namespace {

using model::RunFact;
using model::RunRecord;
using model::RunStep;

RunStep step(std::int64_t id, std::int64_t wall) {
  RunStep one;
  one.id = id;
  one.status = "ok";
  one.wall_ns = wall;
  return one;
}

void sample(RunRecord& record, int gpu, double utilization) { record.samples.push_back({gpu, {}, utilization, std::nullopt, 90.0, 100.0}); }

// The documented vector "input": loader 35 and 30 of 100, GPU at 40 and 42 %.
TEST(RecordFacts, AreMeansOverTheSteps) {
  RunRecord record;
  record.has_loader = true;
  record.steps = {step(1, 100), step(2, 100)};
  record.steps[0].loader_ns = 35;
  record.steps[1].loader_ns = 30;
  sample(record, 0, 40);
  sample(record, 0, 42);
  const model::RunFacts facts = facts_of(record, record.steps);
  EXPECT_NEAR(*facts[RunFact::input_fraction], 0.325, 1e-12);
  EXPECT_EQ(facts[RunFact::gpu_utilization_pct], 41);
  EXPECT_EQ(facts[RunFact::utilization_instability_pct], 2);
  EXPECT_EQ(facts[RunFact::memory_peak_ratio], 0.9);
  EXPECT_FALSE(facts[RunFact::copy_fraction]);  // not recorded is not zero
  EXPECT_EQ(dominant_stall(record, record.steps), "input_bound");
}

// Spec 09, B6: a wait of 300 ms before a step of 100 ms is three quarters of it.
TEST(RecordFacts, CountTheWaitBeforeAStep) {
  RunRecord record;
  record.has_loader = true;
  record.steps = {step(1, 100)};
  record.steps[0].loader_before_ns = 300;
  EXPECT_EQ(facts_of(record, record.steps)[RunFact::input_fraction], 0.75);
}

// Spec 09, B5: one GPU at 98 %, seven that belong to another program.
TEST(RecordFacts, LeaveOutGpusThatTookNoPart) {
  RunRecord record;
  record.steps = {step(1, 100)};
  for (int gpu = 0; gpu < 8; ++gpu) sample(record, gpu, gpu == 3 ? 98 : 0);
  EXPECT_EQ(facts_of(record, record.steps)[RunFact::gpu_utilization_pct], 98);
}

// Spec 09, B5: loading the data set for a minute before the first step says nothing about the steps.
TEST(RecordFacts, TakeHowBusyTheGpuWasFromTheTimeOfTheSteps) {
  RunRecord record;
  record.steps = {step(1, 100)};
  record.steps[0].begin_ns = 1000;
  record.steps[0].end_ns = 1100;
  for (const auto& [time, busy] : {std::pair(500, 0), std::pair(1050, 90), std::pair(1500, 2)}) {
    sample(record, 0, busy);
    record.samples.back().time_ns = time;
  }
  record.samples[0].memory_used = 99;
  const model::RunFacts facts = facts_of(record, record.steps);
  EXPECT_EQ(facts[RunFact::gpu_utilization_pct], 90);
  EXPECT_EQ(facts[RunFact::memory_peak_ratio], 0.99);  // full is full, whenever
}

TEST(RecordFacts, AnIdleGpuThatWasSampledIsIdle) {
  RunRecord record;
  record.steps = {step(1, 100)};
  sample(record, 0, 0);
  EXPECT_EQ(facts_of(record, record.steps)[RunFact::gpu_utilization_pct], 0);
}

// Spec 09, B3: no samples are not 0 %.
TEST(RecordFacts, WithoutSamplesNothingIsSaidOfTheGpu) {
  RunRecord record;
  record.steps = {step(1, 100)};
  EXPECT_FALSE(facts_of(record, record.steps)[RunFact::gpu_utilization_pct]);
  EXPECT_EQ(dominant_stall(record, record.steps), "unknown");
}

TEST(RecordFacts, ShapesThatAlternateAreVolatile) {
  RunRecord record;
  record.steps = {step(1, 100), step(2, 100), step(3, 100)};
  for (std::size_t i = 0; i < 3; ++i) {
    record.steps[i].shape = i == 1 ? "b" : "a";
    record.steps[i].shape_changed = i > 0;
  }
  EXPECT_EQ(facts_of(record, record.steps)[RunFact::shape_volatility], 1);
}

}  // namespace
}  // namespace frx::derive
