#include "diagnose/training.h"

#include <gtest/gtest.h>

#include "knowledge/knowledge.h"

namespace frx::diagnose {
namespace {

using model::RunFact;

class Training : public ::testing::Test {
 protected:
  TrainingDiagnosis diagnose(std::string stall = "unknown", RunSample sample = {10, true, false}) const {
    static const knowledge::Knowledge known = knowledge::Knowledge::load("").value();
    static const knowledge::RunLabels labels = knowledge::RunLabels::load(known.library).value();
    return diagnose_run(labels, facts, std::move(stall), sample);
  }
  model::RunFacts facts;
};

// The test vector "input" of the reference: loader 0.325, GPU at 41 %.
TEST_F(Training, OneClearCauseIsMediumWhenItsScoreIs) {
  facts.set(RunFact::input_fraction, 0.325);
  facts.set(RunFact::gpu_utilization_pct, 41);
  const TrainingDiagnosis d = diagnose("input_bound");
  EXPECT_EQ(d.primary, "input_bound");
  EXPECT_NEAR(d.confidence, 0.725, 1e-9);
  EXPECT_EQ(d.confidence_level, "medium");
}

// "mixed": the GPU idles because of the loader, and of copies.
TEST_F(Training, NamesTheCauseBehindASymptom) {
  facts.set(RunFact::input_fraction, 0.26);
  facts.set(RunFact::copy_fraction, 0.18);
  facts.set(RunFact::gpu_utilization_pct, 34);
  const TrainingDiagnosis d = diagnose("input_bound");
  EXPECT_EQ(d.primary, "underutilized_gpu");
  EXPECT_EQ(d.user_facing, "input_bound");
  EXPECT_NEAR(d.confidence, 0.76, 1e-9);
}

// Spec 09, B4: full memory is usual; a loader that takes 80 % of the step is the cause.
TEST_F(Training, ARiskDoesNotLeadOverAUseOfTime) {
  facts.set(RunFact::input_fraction, 0.80);
  facts.set(RunFact::memory_peak_ratio, 0.95);
  const TrainingDiagnosis d = diagnose("input_bound");
  EXPECT_EQ(d.primary, "input_bound");
  ASSERT_EQ(d.findings.size(), 2u);
  EXPECT_EQ(d.findings[1].id(), "memory_pressure");
}

TEST_F(Training, ShapesThatChangeLeadOnlyWhereNothingTakesTime) {
  facts.set(RunFact::shape_volatility, 1);
  EXPECT_EQ(diagnose().primary, "shape_instability");
  facts.set(RunFact::gpu_busy_fraction, 0.97);
  EXPECT_EQ(diagnose().primary, "gpu_kept_busy");
  EXPECT_EQ(diagnose().confidence_level, "high") << diagnose().confidence_reason;
  facts.set(RunFact::input_fraction, 0.3);
  EXPECT_EQ(diagnose().primary, "input_bound");
  EXPECT_NE(diagnose().with_id("shape_instability"), nullptr);
}

// Computing is no stall.
TEST_F(Training, ASentenceNamesOnlyWhatIsAStall) {
  facts.set(RunFact::gpu_utilization_pct, 0.0007);
  const TrainingDiagnosis d = diagnose("compute_bound");
  ASSERT_EQ(d.why.size(), 2u);
  EXPECT_EQ(d.why[0], "The GPU does something in less than 0.01 % of the time.");
  EXPECT_EQ(d.why[1], "No wait that was recorded (for a loader, copies, the GPU or other ranks) takes a notable part of the step.");
  EXPECT_EQ(diagnose("sync_bound").why.back(), "The dominant stall is sync_bound.");
}

// Spec 09, B3: five long kernels are no launch overhead, and a GPU without samples is not idle.
TEST_F(Training, LongKernelsAreNoLaunchOverhead) {
  facts.set(RunFact::profiler_windows, 1);
  facts.set(RunFact::kernels_per_step, 5);
  facts.set(RunFact::median_kernel_us, 9000);
  facts.set(RunFact::small_kernel_fraction, 0);
  const TrainingDiagnosis d = diagnose("compute_bound");
  EXPECT_EQ(d.with_id("launch_bound"), nullptr);
  EXPECT_EQ(d.with_id("underutilized_gpu"), nullptr);
}

// Spec 09, B12: two steps are not enough for certainty.
TEST_F(Training, FewStepsAreNotHigh) {
  facts.set(RunFact::input_fraction, 0.9);
  EXPECT_EQ(diagnose("input_bound", {10, true, false}).confidence_level, "high");
  EXPECT_EQ(diagnose("input_bound", {2, true, false}).confidence_level, "medium");
  EXPECT_EQ(diagnose("input_bound", {1, false, false}).confidence, 0.60);
}

TEST_F(Training, NothingRecordedIsNotACertainAnswer) {
  facts.set(RunFact::steps, 2);
  const TrainingDiagnosis d = diagnose();
  EXPECT_EQ(d.primary, "insufficient_telemetry");
  EXPECT_EQ(d.confidence_level, "low");
}

TEST_F(Training, NothingKnownIsNothingSaid) {
  const TrainingDiagnosis d = diagnose();
  EXPECT_TRUE(d.findings.empty());
  EXPECT_EQ(d.primary, "");
  EXPECT_EQ(d.confidence_level, "low");
}

}  // namespace
}  // namespace frx::diagnose
