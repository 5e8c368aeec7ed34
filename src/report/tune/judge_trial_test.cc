#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/tune/candidates.h"

namespace frx::report {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;

// A run of ten equal steps.
TuneRun run_of(double steps_per_s, std::optional<double> batch = {}) {
  TuneRun run;
  run.scope = "measurement_window";
  run.step_count = 15;
  run.step_times_ms.assign(10, 1000 / steps_per_s);
  run.throughput_steps_per_s = steps_per_s;
  run.batch_size = batch;
  if (batch) run.throughput_samples_per_s = *batch * steps_per_s;
  run.peak_memory_ratio = 0.5;
  run.dominant_stall = "input_bound";
  return run;
}

TuneTrial trial_of(std::vector<TuneRun> runs) {
  TuneTrial trial;
  trial.candidate.id = trial.candidate.label = "test";
  trial.runs = std::move(runs);
  return trial;
}

TuneTrial with_action(TuneTrial trial, const std::string& type, bool changes_numerics, Variables variables = {}) {
  TuneAction action;
  action.type = type;
  action.changes_numerics = changes_numerics;
  action.variables = std::move(variables);
  trial.candidate.actions.push_back(std::move(action));
  return trial;
}

TuneTrial judged(TuneTrial trial, TuneTrial baseline = trial_of({run_of(10)}), const TuneLimits& limits = {}) {
  fill_in(trial);
  fill_in(baseline);
  judge_trial(trial, baseline, limits);
  return trial;
}

TuneRun with_losses(TuneRun run, std::optional<double> first, std::optional<double> last) {
  run.quality.initial_loss = first;
  run.quality.final_loss = last;
  return run;
}

TEST(TuneFillIn, TakesMediansAndExtremesOfTheRuns) {
  TuneTrial trial = trial_of({run_of(10), run_of(14), run_of(12)});
  trial.runs[0].gpu_utilization_pct = 0;
  trial.runs[1].gpu_utilization_pct = 40;
  trial.runs[1].peak_memory_ratio = 0.7;
  trial.runs[1].dominant_stall = "copy_bound";
  trial.runs[2].step_count = 4;
  fill_in(trial);
  EXPECT_THAT(trial.throughput, Optional(12.0));
  EXPECT_NEAR(trial.step_time_ms.value(), 1000 / 12.0, 1e-9);
  EXPECT_THAT(trial.gpu_utilization_pct, Optional(40.0));  // of positive values
  EXPECT_THAT(trial.peak_memory_ratio, Optional(0.7));
  EXPECT_EQ(trial.dominant_stall, "input_bound");
  EXPECT_EQ(trial.step_count, 4u);
  EXPECT_DOUBLE_EQ(trial.throughput_stddev.value(), 2);  // of 10, 12, 14
  EXPECT_EQ(trial.exit_code, 0);
  EXPECT_FALSE(trial.samples_per_s);
}

TEST(TuneFillIn, TheFirstFailureIsTheExitCode) {
  TuneTrial trial = trial_of({run_of(10), run_of(10), run_of(10)});
  trial.runs[1].exit_code = timed_out_exit;
  trial.runs[2].exit_code = 3;
  fill_in(trial);
  EXPECT_EQ(trial.exit_code, timed_out_exit);
}

TEST(TuneFillIn, WithoutRunsItWasSkipped) {
  TuneTrial trial = trial_of({});
  fill_in(trial);
  EXPECT_TRUE(trial.was_skipped());
  EXPECT_FALSE(trial.throughput || trial.step_time_ms || trial.peak_memory_ratio || trial.throughput_stddev || trial.gpu_utilization_pct);
}

TEST(TuneFillIn, WhatEveryRunMeasuredAsNothingIsZero) {
  TuneTrial trial = trial_of({run_of(10)});
  trial.runs[0].gpu_utilization_pct = 0;
  fill_in(trial);
  EXPECT_THAT(trial.gpu_utilization_pct, Optional(0.0));
}

TEST(TuneFillIn, CombinesQuality) {
  TuneTrial trial = trial_of({with_losses(run_of(10), 4, 1), with_losses(run_of(10), 4, 3), with_losses(run_of(10), 4, 2)});
  trial.runs[0].quality.nan_count = 1;
  trial.runs[2].quality.nan_count = 2;
  trial.runs[2].quality.inf_count = 1;
  trial.runs[0].quality.reported = {{"max_output_abs_diff", 0.001}, {"accuracy", 0.9}, {"min_loss", 1}};
  trial.runs[1].quality.reported = {{"max_output_abs_diff", 0.004}, {"accuracy", 0.7}, {"min_loss", 0.5}};
  fill_in(trial);
  EXPECT_EQ(trial.quality.nan_count, 3u);
  EXPECT_EQ(trial.quality.inf_count, 1u);
  EXPECT_THAT(trial.quality.final_loss, Optional(2.0));
  EXPECT_DOUBLE_EQ(trial.quality.reported["max_output_abs_diff"], 0.004);
  EXPECT_DOUBLE_EQ(trial.quality.reported["min_loss"], 0.5);
  EXPECT_DOUBLE_EQ(trial.quality.reported["accuracy"], 0.8);
}

TEST(TuneThrottling, HeatAndHardwareCount) {
  TuneRun run;
  EXPECT_FALSE(run.was_throttled());
  run.gpus.emplace_back();
  EXPECT_FALSE(run.was_throttled());  // not told
  run.gpus.back().slowed_by = {"software power cap"};
  EXPECT_FALSE(run.was_throttled());
  for (const char* reason : {"hardware slowdown", "software thermal slowdown", "hardware thermal slowdown", "hardware power brake"}) {
    run.gpus.back().slowed_by = {"software power cap", reason};
    EXPECT_TRUE(run.was_throttled()) << reason;
  }
}

TEST(TuneGuards, AGoodTrialPassesThem) {
  const TuneTrial trial = judged(trial_of({run_of(12)}));
  EXPECT_THAT(trial.guard_failures, IsEmpty());
  EXPECT_THAT(trial.comparison_notes, IsEmpty());
  EXPECT_NEAR(trial.throughput_delta.value(), 0.2, 1e-12);
  EXPECT_TRUE(trial.is_eligible);
}

TEST(TuneGuards, ARaceIsNeverEligible) {
  TuneTrial race = trial_of({run_of(12)});
  race.stage = TuneStage::race;
  race = judged(race);
  EXPECT_TRUE(race.passed_guards());
  EXPECT_FALSE(race.is_eligible);
}

TEST(TuneGuards, AnExitThatIsNotClean) {
  TuneTrial trial = trial_of({run_of(12)});
  trial.runs[0].exit_code = 1;
  trial.runs[0].failure = "exit code 1: ValueError: no such dataset";
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("exit code 1: ValueError: no such dataset"));
  trial.runs[0].failure = "";
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("exit code 1"));
  trial.runs[0].exit_code = timed_out_exit;
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("timed out: no end within 60 s"));
  trial.runs[0].failure = "no end within 60 s; give it more";
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("timed out: no end within 60 s; give it more"));
  TuneLimits limits;
  limits.require_clean_exit = false;
  EXPECT_THAT(judged(trial, trial_of({run_of(10)}), limits).guard_failures, IsEmpty());
  trial.runs[0] = {};
  trial.runs[0].exit_code = not_started_exit;
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("the program could not be started"));
}

TEST(TuneGuards, TooFewSteps) {
  TuneTrial trial = trial_of({run_of(12)});
  trial.runs[0].step_count = 2;
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("2 completed steps, fewer than 3"));
  trial.runs[0] = {};
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("no trace data: the program recorded no completed steps"));
  trial.runs[0].failure = "no trace data: the trace is cut off";
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("no trace data: the trace is cut off"));
}

// A program that was ended for what it did may still exit with 0.
TEST(TuneGuards, AFailureWithACleanExit) {
  TuneTrial trial = trial_of({run_of(12)});
  trial.runs[0].failure = "ended by frx: more than 8 GiB in its folder";
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("ended by frx: more than 8 GiB in its folder"));
}

TEST(TuneGuards, NoThroughput) {
  TuneTrial trial = trial_of({run_of(12)});
  trial.runs[0].throughput_steps_per_s = {};
  trial = judged(trial);
  EXPECT_THAT(trial.guard_failures, ElementsAre("no throughput was measured"));
  EXPECT_FALSE(trial.throughput_delta);
}

TEST(TuneGuards, OfRepeatsNameTheirNumber) {
  TuneTrial trial = trial_of({run_of(12), run_of(12)});
  trial.runs[1].exit_code = 7;
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("repeat 2: exit code 7"));
}

TEST(TuneGuards, NearlyFullMemory) {
  TuneTrial trial = trial_of({run_of(12)});
  trial.runs[0].peak_memory_ratio = 0.90;
  EXPECT_THAT(judged(trial).guard_failures, IsEmpty());
  trial.runs[0].peak_memory_ratio = 0.95;
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("peak memory ratio 0.95 exceeds 0.90"));
}

// Spec 09, G3: what was not measured is not zero.
TEST(TuneGuards, MemoryThatWasNotMeasuredIsSaid) {
  TuneTrial trial = trial_of({run_of(12)});
  trial.runs[0].peak_memory_ratio = {};
  trial = judged(trial);
  EXPECT_THAT(trial.guard_failures, IsEmpty());
  EXPECT_THAT(trial.comparison_notes, ElementsAre("peak GPU memory was not measured: the limit of 90% was not checked"));
}

TEST(TuneGuards, SlowerSteps) {
  EXPECT_THAT(judged(trial_of({run_of(10 / 1.09)})).guard_failures, IsEmpty());
  EXPECT_THAT(judged(trial_of({run_of(10 / 1.238)})).guard_failures, ElementsAre("step time regressed by 23.8%, more than 10%"));
}

// Spec 09, G1: 10 ms and 0.1 ms for each sample of a batch: 32 samples take 13.2 ms, 64 take 16.4 ms.
TEST(TuneGuards, ALargerBatchIsComparedBySamples) {
  const TuneTrial baseline = trial_of({run_of(1000 / 13.2, 32)});
  TuneTrial larger = judged(with_action(trial_of({run_of(1000 / 16.4, 64)}), "batch_size", false, {{"FRX_BATCH_SIZE", "64"}}), baseline);
  EXPECT_TRUE(larger.by_samples);
  EXPECT_NEAR(larger.throughput_delta.value(), 64 / 16.4 / (32 / 13.2) - 1, 1e-12);  // 1.61 times as many
  EXPECT_THAT(larger.guard_failures, IsEmpty());
  // Twice the samples in 2.4 times the time.
  larger = judged(with_action(trial_of({run_of(1000 / (2.4 * 13.2), 64)}), "batch_size", false, {{"FRX_BATCH_SIZE", "64"}}), baseline);
  EXPECT_THAT(larger.guard_failures, ElementsAre("time per sample regressed by 20.0%, more than 10%"));
}

TEST(TuneGuards, ABatchSizeThatTheProgramIgnored) {
  const TuneTrial baseline = trial_of({run_of(10, 32)});
  const auto with_batch = [](const TuneRun& run) { return with_action(trial_of({run}), "batch_size", false, {{"FRX_BATCH_SIZE", "64"}}); };
  EXPECT_THAT(judged(with_batch(run_of(12, 32)), baseline).guard_failures,
              ElementsAre("FRX_BATCH_SIZE=64 had no effect: a step still has 32 samples"));
  EXPECT_THAT(judged(with_batch(run_of(12, 48)), baseline).comparison_notes,
              Contains("a step has 48 samples where FRX_BATCH_SIZE=64 asks for others"));
  EXPECT_THAT(judged(with_batch(run_of(12)), baseline).comparison_notes, Contains(HasSubstr("compared by steps/s")));
}

TEST(TuneGuards, ARunThatFrxEndedIsNoFailureAndNoWinner) {
  TuneTrial trial = trial_of({run_of(9.5)});
  trial.runs[0].stopped = "hopeless";
  trial.runs[0].exit_code = 143;
  trial.runs[0].step_count = 2;
  trial = judged(trial);
  EXPECT_THAT(trial.guard_failures, IsEmpty());
  EXPECT_THAT(trial.comparison_notes, ElementsAre("run 1 was ended before its window was full: hopeless"));
  EXPECT_FALSE(trial.is_eligible);
}

// 25 steps are the whole window; the program went on after them.
TEST(TuneGuards, ARunThatWasEndedAfterItsWindowCounts) {
  TuneTrial trial = trial_of({run_of(12)});
  trial.runs[0].stopped = "its window is full";
  trial.runs[0].step_count = 25;
  trial = judged(trial);
  EXPECT_THAT(trial.comparison_notes, IsEmpty());
  EXPECT_TRUE(trial.is_eligible);
}

TEST(TuneGuards, SkippedTrialsKeepTheirReasons) {
  TuneTrial trial = trial_of({});
  trial.guard_failures = {"Precision: CUDA is unavailable"};
  trial = judged(trial);
  EXPECT_THAT(trial.guard_failures, ElementsAre("Precision: CUDA is unavailable"));
  EXPECT_FALSE(trial.is_eligible);
}

TEST(TuneQualityGates, AHigherFinalLoss) {
  const TuneTrial baseline = trial_of({with_losses(run_of(10), 2, 1)});
  EXPECT_THAT(judged(trial_of({with_losses(run_of(12), 2, 1.05)}), baseline).guard_failures, IsEmpty());
  const TuneTrial worse = judged(trial_of({with_losses(run_of(12), 2, 1.2)}), baseline);
  EXPECT_THAT(worse.guard_failures, ElementsAre("quality regression: final loss 1.2 exceeds baseline 1 by more than 5%"));
  EXPECT_FALSE(worse.is_eligible);
  TuneLimits limits;
  limits.max_final_loss_regression = 0.25;
  EXPECT_THAT(judged(trial_of({with_losses(run_of(12), 2, 1.2)}), baseline, limits).guard_failures, IsEmpty());
}

// The losses of the baseline are 10, 9, 8, ...: after five measured steps the trial is where the baseline was then.
TEST(TuneQualityGates, ALossOfARunThatEndedEarlyIsComparedAtItsStep) {
  TuneTrial baseline = trial_of({with_losses(run_of(10), 5, 1)});
  baseline.window = {5, 5, 1, 60};
  for (int step = 0; step < 10; ++step) baseline.runs[0].steps.push_back({100, {}, 10.0 - step});
  baseline.runs[0].step_times_ms.assign(5, 100);
  TuneTrial trial = trial_of({with_losses(run_of(9), 5, 4)});
  trial.window = baseline.window;
  trial.runs[0].step_times_ms.assign(2, 110);  // its steps 5 and 6, with losses 5 and 4
  trial.runs[0].stopped = "hopeless";
  trial.runs[0].step_count = 7;
  EXPECT_THAT(judged(trial, baseline).guard_failures, Not(Contains(HasSubstr("quality regression"))));
  trial.runs[0].quality.final_loss = 4.5;
  EXPECT_THAT(judged(trial, baseline).guard_failures, Contains("quality regression: final loss 4.5 exceeds baseline 4 by more than 5%"));
  // While warming up nothing was measured.
  trial.runs[0].scope = "run";
  const TuneTrial early = judged(trial, baseline);
  EXPECT_THAT(early.guard_failures, Not(Contains(HasSubstr("quality regression"))));
  EXPECT_THAT(early.comparison_notes, Contains("the final loss was not compared: that of the baseline at the same step is not known"));
}

TEST(TuneQualityGates, ALossThatGrows) {
  const TuneTrial baseline = trial_of({with_losses(run_of(10), 1, 1.6)});
  EXPECT_THAT(judged(trial_of({with_losses(run_of(12), 1, 1.5)}), baseline).guard_failures, IsEmpty());
  EXPECT_THAT(judged(trial_of({with_losses(run_of(12), 1, 1.6)}), baseline).guard_failures,
              ElementsAre("quality regression: final loss 1.6 exceeds the first loss 1 by more than 50%"));
}

TEST(TuneQualityGates, ALossThatIsNoNumber) {
  TuneTrial trial = trial_of({run_of(12)});
  trial.runs[0].quality.nan_count = 2;
  trial.runs[0].quality.inf_count = 1;
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("quality regression: 2 NaN and 1 infinite losses"));
  TuneLimits limits;
  limits.finite_loss = false;
  const TuneTrial allowed = judged(trial, trial_of({run_of(10)}), limits);
  EXPECT_THAT(allowed.guard_failures, IsEmpty());
  EXPECT_THAT(allowed.comparison_notes, ElementsAre("2 NaN and 1 infinite losses were allowed"));
}

TEST(TuneQualityGates, OutputsThatDiffer) {
  TuneTrial trial = trial_of({run_of(12)});
  trial.runs[0].quality.reported["max_output_abs_diff"] = 0.005;
  EXPECT_THAT(judged(trial).guard_failures, IsEmpty());
  trial.runs[0].quality.reported["max_output_abs_diff"] = 0.01;
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("quality regression: output difference 0.01 exceeds 0.005"));
}

TEST(TuneQualityGates, ReportedNumbersThatAreNone) {
  TuneTrial trial = trial_of({run_of(12), run_of(12)});
  trial.runs[0].quality.reported["max_output_abs_diff"] = 0.001;
  trial.runs[1].quality.reported["max_output_abs_diff"] = std::nan("");
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("quality regression: the output difference is NaN"));
  trial.runs[1].quality.reported["max_output_abs_diff"] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("quality regression: output difference inf exceeds 0.005"));
  trial.runs.pop_back();
  trial.runs[0].quality.reported["validation_loss"] = std::nan("");
  EXPECT_THAT(judged(trial).guard_failures, ElementsAre("quality regression: 1 NaN and 0 infinite losses"));
  // A gradient scaler skips such steps.
  trial.runs[0].quality.reported = {{"gradient_norm", std::numeric_limits<double>::infinity()}};
  EXPECT_THAT(judged(trial).guard_failures, IsEmpty());
}

TEST(TuneQualityGates, AHigherValidationLoss) {
  TuneTrial baseline = trial_of({run_of(10)}), trial = trial_of({run_of(12)});
  baseline.runs[0].quality.reported["validation_loss"] = 2;
  trial.runs[0].quality.reported["validation_loss"] = 2.2;
  EXPECT_THAT(judged(trial, baseline).guard_failures,
              ElementsAre("quality regression: validation loss 2.2 exceeds baseline 2 by more than 5%"));
  // It is enough to know that results did not become worse.
  trial.runs[0].quality.reported["validation_loss"] = 2;
  EXPECT_THAT(judged(with_action(trial, "precision", true), baseline).guard_failures, IsEmpty());
}

TEST(TuneQualityGates, LossesThatCannotBeComparedAreSaid) {
  EXPECT_THAT(judged(trial_of({with_losses(run_of(12), 2, 1)})).comparison_notes,
              ElementsAre("the final loss was not compared: that of the baseline at the same step is not known"));
  EXPECT_THAT(judged(trial_of({with_losses(run_of(12), -1, -2)}), trial_of({with_losses(run_of(10), -1, -2)})).comparison_notes,
              ElementsAre("the final loss was not compared: that of the baseline, -2, is not above 0"));
}

// Spec 09, G4: numbers of another type are not recommended where nothing is known of the results.
TEST(TuneQualityGates, RequireALossWhereNumericsChange) {
  TuneTrial half = with_action(trial_of({run_of(14)}), "precision", true);
  half.candidate.label = "amp:fp16";
  TuneTrial trial = judged(half);
  EXPECT_THAT(trial.guard_failures,
              ElementsAre("quality checks are required for amp:fp16, and neither a loss nor an output difference was reported "
                          "(current.set_loss(loss) of the SDK reports a loss)"));
  EXPECT_FALSE(trial.is_eligible);
  TuneLimits lenient;
  lenient.quality_checks = false;
  trial = judged(half, trial_of({run_of(10)}), lenient);
  EXPECT_THAT(trial.guard_failures, IsEmpty());
  EXPECT_THAT(trial.comparison_notes, ElementsAre(HasSubstr("quality was not assessed")));
  half.runs[0] = with_losses(half.runs[0], 2, 1);
  EXPECT_THAT(judged(half, trial_of({with_losses(run_of(10), 2, 1)})).guard_failures, IsEmpty());
}

TEST(TuneQualityGates, ALargerBatchWithoutALossIsSaid) {
  const TuneTrial batch = judged(with_action(trial_of({run_of(14)}), "batch_size", false));
  EXPECT_THAT(batch.guard_failures, IsEmpty());
  EXPECT_THAT(batch.comparison_notes, ElementsAre(HasSubstr("quality was not assessed")));
  EXPECT_THAT(judged(with_action(trial_of({run_of(14)}), "dataloader", false)).comparison_notes, IsEmpty());
}

// Sample deviation of 9, 10, 11 is 1: a tenth of their median.
TEST(TuneNoise, IsTheLargerOneOfBothSides) {
  const TuneTrial baseline = trial_of({run_of(9), run_of(10), run_of(11)});
  const TuneTrial trial = judged(trial_of({run_of(13), run_of(13), run_of(13)}), baseline);
  EXPECT_NEAR(trial.noise_band.value(), 0.1, 1e-12);
  EXPECT_NEAR(trial.throughput_delta.value(), 0.3, 1e-12);
  EXPECT_EQ(trial.confidence_label, "high");
}

TEST(TuneNoise, OfSingleRunsIsNotKnown) {
  const TuneTrial trial = judged(trial_of({run_of(20)}));
  EXPECT_FALSE(trial.noise_band);
  EXPECT_EQ(trial.confidence_label, "low");
}

TEST(TuneNoise, AGainWithinItIsNone) {
  const TuneTrial baseline = trial_of({run_of(9), run_of(10), run_of(11)});
  TuneTrial trial = judged(trial_of({run_of(10.5), run_of(10.5)}), baseline);
  EXPECT_THAT(trial.guard_failures, ElementsAre("a gain of 5.0% is within the noise of 10.0% between repeats"));
  EXPECT_EQ(trial.confidence_label, "inconclusive");
  TuneLimits lenient;
  lenient.require_above_noise_band = false;
  EXPECT_THAT(judged(trial_of({run_of(10.5), run_of(10.5)}), baseline, lenient).guard_failures, IsEmpty());
  // One run alone says nothing of its own noise.
  EXPECT_THAT(judged(trial_of({run_of(10.5)}), baseline).guard_failures, IsEmpty());
  // What is slower is no gain.
  EXPECT_THAT(judged(trial_of({run_of(9.9), run_of(9.9)}), baseline).guard_failures, IsEmpty());
}

TEST(TuneNoise, ConfidenceGoesByRepeatsAndByWhatIsLeftOfTheGain) {
  const TuneTrial quiet = trial_of({run_of(10), run_of(10), run_of(10)});
  const auto confidence = [&](std::vector<TuneRun> runs, const TuneTrial& baseline) {
    return judged(trial_of(std::move(runs)), baseline).confidence_label;
  };
  EXPECT_EQ(confidence({run_of(12), run_of(12), run_of(12)}, quiet), "high");
  EXPECT_EQ(confidence({run_of(12), run_of(12)}, quiet), "medium");
  EXPECT_EQ(confidence({run_of(10.7), run_of(10.7), run_of(10.7)}, quiet), "inconclusive");
  // Gains of 15 % and 13 % under noise of 10 %: 5 % and 3 % are left, where half of 8 % is enough.
  const TuneTrial noisy = trial_of({run_of(9), run_of(10), run_of(11)});
  EXPECT_EQ(confidence({run_of(11.5), run_of(11.5), run_of(11.5)}, noisy), "medium");
  EXPECT_EQ(confidence({run_of(11.3), run_of(11.3), run_of(11.3)}, noisy), "low");
}

TEST(TuneNoise, IsOfSamplesWhereTheyDecide) {
  const TuneTrial baseline = trial_of({run_of(10, 32), run_of(10, 32)});
  const TuneTrial trial = judged(trial_of({run_of(9, 64), run_of(11, 64)}), baseline);
  EXPECT_NEAR(trial.noise_band.value(), std::sqrt(2.0) / 10, 1e-12);  // of 576 and 704: 90.5 over 640
  EXPECT_NEAR(trial.throughput_delta.value(), 1, 1e-12);
}

TEST(TuneJudgement, WithoutABaselineThereIsNothingToCompare) {
  TuneTrial broken = trial_of({run_of(10)});
  broken.runs[0] = {};
  const TuneTrial trial = judged(trial_of({run_of(12)}), broken);
  EXPECT_FALSE(trial.throughput_delta);
  EXPECT_THAT(trial.comparison_notes, Contains("the baseline has no throughput to compare with"));
}

TEST(TuneJudgement, IsTheSameWhenItIsRepeated) {
  TuneTrial baseline = trial_of({run_of(10)}), trial = trial_of({run_of(8)});
  fill_in(baseline);
  fill_in(trial);
  judge_trial(trial, baseline, {});
  const std::vector<std::string> failures = trial.guard_failures;
  judge_trial(trial, baseline, {});
  EXPECT_EQ(trial.guard_failures, failures);
  EXPECT_THAT(failures, Not(IsEmpty()));
}

}  // namespace
}  // namespace frx::report
