#include "derive/steps/facts.h"

#include <gtest/gtest.h>

#include "derive/steps/testing.h"

namespace frx::derive::steps {
namespace {

using model::GpuSample;
using model::HostTime;
using model::RunFact;
using model::RunFacts;
using model::StepTable;
using testing::set;
using testing::steps_of;
using testing::traced;

GpuSample sample(int gpu, double utilization) { return {gpu, {}, utilization, std::nullopt, 90.0, 100.0}; }

RunFacts facts_of(const StepTable& table, const std::vector<GpuSample>& samples = {}, std::size_t skipped = 0) {
  return steps::facts_of({&table, 1}, samples, skipped);
}

// The test vector "input" of the reference: loader 35 and 30 of 100, GPU at 40 and 42 %.
TEST(StepFacts, AreMeansOverTheSteps) {
  StepTable table = steps_of({100, 100});
  set(table, HostTime::loader, {35, 30});
  const RunFacts facts = facts_of(table, {sample(0, 40), sample(0, 42)});
  EXPECT_NEAR(*facts[RunFact::input_fraction], 0.325, 1e-12);
  EXPECT_EQ(facts[RunFact::gpu_utilization_pct], 41);
  EXPECT_EQ(facts[RunFact::utilization_instability_pct], 2);
  EXPECT_EQ(facts[RunFact::memory_peak_ratio], 0.9);
  EXPECT_FALSE(facts[RunFact::copy_fraction]);  // not recorded is not zero
}

// Spec 09, B6: a wait of 300 ms before a step of 100 ms is three quarters of it.
TEST(StepFacts, CountTheWaitBeforeAStep) {
  StepTable table = steps_of({100});
  set(table, HostTime::loader, {0});
  set(table, HostTime::loader_before, {300});
  EXPECT_EQ(facts_of(table)[RunFact::input_fraction], 0.75);
}

TEST(StepFacts, LeaveOutStepsThatFailedAndThoseThatWarmUp) {
  StepTable table = steps_of({100, 100, 100, 0});
  set(table, HostTime::sync, {90, 50, 10, 5});
  table.status[1] = "error";
  EXPECT_EQ(facts_of(table)[RunFact::sync_fraction], 0.5);
  EXPECT_EQ(facts_of(table)[RunFact::steps], 2) << "a step without duration did not run";
  EXPECT_EQ(facts_of(table, {}, 1)[RunFact::sync_fraction], 0.1);
}

TEST(StepFacts, OfATraceAreWhatTheGpuLost) {
  StepTable table = traced({100, 100}, {40, 60});
  set(table, HostTime::loader, {30, 30});
  table.gpus[0].steps[0].idle_by = {10, 0, 0, 0, 50, 0, 0};
  const RunFacts facts = facts_of(table);
  EXPECT_NEAR(*facts[RunFact::input_fraction], 0.05, 1e-12) << "the GPU computed during the rest of the waiting";
  EXPECT_NEAR(*facts[RunFact::input_wait_fraction], 0.3, 1e-12);
  EXPECT_NEAR(*facts[RunFact::host_fraction], 0.45, 1e-12);
  EXPECT_NEAR(*facts[RunFact::gpu_busy_fraction], 0.5, 1e-12);
  EXPECT_NEAR(*facts[RunFact::gpu_utilization_pct], 50, 1e-9);
  EXPECT_EQ(facts[RunFact::profiler_windows], 1);
}

TEST(StepFacts, OfATraceCountStepsByTheirTime) {
  const StepTable table = traced({1000, 1000, 20}, {900, 900, 0});
  EXPECT_NEAR(*facts_of(table)[RunFact::gpu_busy_fraction], 1800.0 / 2020, 1e-12) << "a last step of 20 ns is not a third of the run";
}

TEST(StepFacts, OfATraceLeaveOutWhatHappensOnce) {
  StepTable table = traced({100, 400, 100, 100}, {90, 90, 90, 90});
  table.gpus[0].usual = table.gpus[0].steps;
  model::GpuTime& odd = table.gpus[0].usual[1];
  odd.span -= 300;
  odd.idle -= 300;
  odd.idle_by[static_cast<std::size_t>(model::IdleCause::host)] -= 300;
  EXPECT_NEAR(*facts_of(table)[RunFact::gpu_busy_fraction], 0.9, 1e-12);
  EXPECT_NEAR(*facts_of(table)[RunFact::host_fraction], 0.1, 1e-12);
}

TEST(StepFacts, OfSeveralGpusAreTheirMeanAndProcessesWithoutOneAreSilent) {
  const std::vector<StepTable> tables = {traced({100}, {80}), traced({100}, {40}), steps_of({100})};
  EXPECT_NEAR(*steps::facts_of(tables, {}, 0)[RunFact::gpu_busy_fraction], 0.6, 1e-12);
}

TEST(StepFacts, KernelsAreThoseOfStepsThatHaveAny) {
  StepTable table = traced({100, 100}, {40, 60});
  table.kernels.set(0, 0);
  table.kernels.set(1, 30);
  table.median_kernel_ns.set(1, 2500);
  table.small_kernels.set(1, 0.0);
  const RunFacts facts = facts_of(table);
  EXPECT_EQ(facts[RunFact::kernels_per_step], 30);
  EXPECT_EQ(facts[RunFact::median_kernel_us], 2.5);
  EXPECT_EQ(facts[RunFact::small_kernel_fraction], 0);
}

// Spec 09, B5: one GPU at 98 %, seven that belong to other users.
TEST(StepFacts, LeaveOutGpusThatTookNoPart) {
  std::vector<GpuSample> samples;
  for (int gpu = 0; gpu < 8; ++gpu) samples.push_back(sample(gpu, gpu == 3 ? 98 : 0));
  EXPECT_EQ(facts_of(steps_of({100}), samples)[RunFact::gpu_utilization_pct], 98);
}

// Spec 09, B5: loading the data set for a minute before the first step says nothing about the steps.
TEST(StepFacts, TakeHowBusyTheGpuWasFromTheTimeOfTheSteps) {
  StepTable table = steps_of({100});
  table.begin_ns.set(0, 1000);
  table.end_ns.set(0, 1100);
  std::vector<GpuSample> samples;
  for (const auto& [time, busy] : {std::pair(500, 0), std::pair(1050, 90), std::pair(1500, 2)}) {
    samples.push_back(sample(0, busy));
    samples.back().time_ns = time;
  }
  samples[0].memory_used = 99;
  const RunFacts facts = facts_of(table, samples);
  EXPECT_EQ(facts[RunFact::gpu_utilization_pct], 90);
  EXPECT_EQ(facts[RunFact::memory_peak_ratio], 0.99);  // full is full, whenever
}

TEST(StepFacts, AnIdleGpuThatWasSampledIsIdle) { EXPECT_EQ(facts_of(steps_of({100}), {sample(0, 0)})[RunFact::gpu_utilization_pct], 0); }

// Spec 09, B3: missing samples are not 0 %.
TEST(StepFacts, WithoutSamplesNothingIsSaidOfTheGpu) { EXPECT_FALSE(facts_of(steps_of({100}))[RunFact::gpu_utilization_pct]); }

TEST(StepFacts, SamplesDoNotReplaceWhatATraceMeasured) {
  EXPECT_EQ(facts_of(traced({100}, {50}), {sample(0, 90)})[RunFact::gpu_utilization_pct], 50);
}

TEST(StepFacts, ShapesThatAlternateAreVolatile) {
  StepTable table = steps_of({100, 100, 100});
  testing::set_changes(table, {false, true, true});
  EXPECT_EQ(facts_of(table)[RunFact::shape_volatility], 1);
  EXPECT_EQ(facts_of(table)[RunFact::shape_pairs], 2);
}

}  // namespace
}  // namespace frx::derive::steps
