#include "report/tune/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "derive/steps/testing.h"
#include "report/tune/candidates.h"

namespace frx::report {
namespace {

using derive::steps::testing::set;
using derive::steps::testing::steps_of;
using derive::steps::testing::Times;
using model::HostTime;
using model::StepTable;
using ::testing::ElementsAre;
using ::testing::Optional;

constexpr std::int64_t ms = 1'000'000;

// Steps of 8 ms with 2 ms between them: one ends each 10 ms, the first after 8 ms.
StepTable table_of_steps(std::size_t count) {
  StepTable table = steps_of(Times(count, 8 * ms));
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = static_cast<std::int64_t>(i) * 10 * ms;
    table.begin_ns.set(i, begin);
    table.end_ns.set(i, begin + 8 * ms);
  }
  return table;
}

TuneWindow window_of(std::size_t warmup, std::size_t measure) { return {warmup, measure, 1, 60}; }

TuneRun measured(const StepTable& table, std::size_t warmup, std::size_t measure) {
  TuneRun run;
  measure_window(table, window_of(warmup, measure), run);
  return run;
}

TEST(TuneMeasuredWindow, TakesTheStepsAfterWarmingUp) {
  const TuneRun run = measured(table_of_steps(9), 2, 4);
  EXPECT_EQ(run.scope, "measurement_window");
  EXPECT_EQ(run.step_count, 9u);
  EXPECT_THAT(run.step_times_ms, ElementsAre(10, 10, 10, 10));
  EXPECT_DOUBLE_EQ(run.throughput_steps_per_s.value(), 100);
  EXPECT_FALSE(run.throughput_samples_per_s || run.batch_size);
}

// The first step of a run has no step before it: its own time, with the wait for its batch.
TEST(TuneMeasuredWindow, CountsTheTimeBetweenSteps) {
  StepTable table = table_of_steps(3);
  set(table, HostTime::loader_before, {ms, ms, ms});
  EXPECT_THAT(measured(table, 0, 3).step_times_ms, ElementsAre(9, 10, 10));
  // Without ends it is known only what the steps themselves took.
  StepTable without = steps_of({8 * ms, 8 * ms});
  set(without, HostTime::loader_before, {ms, ms});
  EXPECT_THAT(measured(without, 0, 2).step_times_ms, ElementsAre(9, 9));
}

TEST(TuneMeasuredWindow, LeavesOutStepsThatDidNotComplete) {
  StepTable table = table_of_steps(5);
  table.status[2] = "error";
  const TuneRun run = measured(table, 1, 10);
  EXPECT_EQ(run.step_count, 4u);
  // The step after it does not take over its time.
  EXPECT_THAT(run.step_times_ms, ElementsAre(10, 10, 10));
}

TEST(TuneMeasuredWindow, GoesByTheNumbersOfSteps) {
  StepTable table = table_of_steps(3);
  table.ids = {3, 2, 1};  // recorded last to first
  table.begin_ns = table.end_ns = {};
  set(table, HostTime::wall, {30 * ms, 20 * ms, 10 * ms});
  EXPECT_THAT(measured(table, 1, 5).step_times_ms, ElementsAre(20, 30));
}

TEST(TuneMeasuredWindow, FallsBackWhereARunEndedEarly) {
  const TuneRun five = measured(table_of_steps(5), 5, 20);
  EXPECT_EQ(five.scope, "steady_state");
  EXPECT_EQ(five.step_times_ms.size(), 3u);
  const TuneRun four = measured(table_of_steps(4), 5, 20);
  EXPECT_EQ(four.scope, "run");
  EXPECT_EQ(four.step_times_ms.size(), 4u);
  const TuneRun none = measured(StepTable{}, 5, 20);
  EXPECT_EQ(none.scope, "");
  EXPECT_EQ(none.step_count, 0u);
  EXPECT_FALSE(none.throughput_steps_per_s);
  EXPECT_EQ(none.dominant_stall, "");
}

TEST(TuneMeasuredWindow, CountsSamples) {
  StepTable table = table_of_steps(4);
  for (std::size_t i = 0; i < 4; ++i) table.batch_size.set(i, 32);
  const TuneRun run = measured(table, 1, 3);
  EXPECT_THAT(run.batch_size, Optional(32.0));
  EXPECT_DOUBLE_EQ(run.throughput_samples_per_s.value(), 3200);
  // The last batch of an epoch: 32 + 32 + 16 samples in 30 ms.
  table.batch_size.set(3, 16);
  const TuneRun uneven = measured(table, 1, 3);
  EXPECT_FALSE(uneven.batch_size);
  EXPECT_NEAR(uneven.throughput_samples_per_s.value(), 80 / 0.030, 1e-6);
  // A step that does not say its batch.
  table.batch_size = {};
  table.batch_size.set(3, 16);
  EXPECT_FALSE(measured(table, 1, 3).throughput_samples_per_s);
}

TEST(TuneMeasuredWindow, FindsLosses) {
  StepTable table = table_of_steps(5);
  const double losses[] = {9, 4, 3, 3, 2};
  for (std::size_t i = 0; i < 5; ++i) table.loss.set(i, losses[i]);
  const TuneQuality quality = measured(table, 1, 4).quality;
  EXPECT_THAT(quality.initial_loss, Optional(4.0));
  EXPECT_THAT(quality.final_loss, Optional(2.0));
  // Of 4, 3, 3, 2 at 0, 1, 2, 3: sum of (x - 1.5)(y - 3) = -1.5 - 1.5 = -3, of (x - 1.5)^2 = 5.
  EXPECT_DOUBLE_EQ(quality.loss_slope.value(), -0.6);
  EXPECT_TRUE(quality.has_loss());
  EXPECT_FALSE(measured(table_of_steps(5), 1, 4).quality.has_loss());
}

TEST(TuneMeasuredWindow, CountsLossesThatAreNoNumbers) {
  StepTable table = table_of_steps(4);
  table.loss.set(0, std::nan(""));
  table.loss.set(1, 2.0);
  table.loss.set(2, std::nan(""));
  table.loss.set(3, -std::numeric_limits<double>::infinity());
  const TuneQuality quality = measured(table, 1, 3).quality;
  EXPECT_EQ(quality.nan_count, 1u);
  EXPECT_EQ(quality.inf_count, 1u);
  EXPECT_THAT(quality.initial_loss, Optional(2.0));
  EXPECT_FALSE(quality.final_loss);
  EXPECT_TRUE(quality.has_loss());
  EXPECT_FALSE(quality.loss_slope);
  table.loss.set(3, 1.0);
  EXPECT_THAT(measured(table, 1, 3).quality.final_loss, Optional(1.0));
}

TEST(TuneMeasuredWindow, NamesTheStallOfItsStepsAlone) {
  StepTable table = table_of_steps(4);
  set(table, HostTime::loader, {7 * ms, 0, 0, 0});
  EXPECT_EQ(measured(table, 0, 4).dominant_stall, "input_bound");
  EXPECT_EQ(measured(table, 1, 3).dominant_stall, "none");
  EXPECT_EQ(measured(table_of_steps(4), 1, 3).dominant_stall, "");
}

TEST(TuneUsualBatchSize, IsTheMostFrequentOne) {
  StepTable table = table_of_steps(5);
  EXPECT_FALSE(usual_batch_size(table));
  const std::int64_t batches[] = {16, 32, 0, 32, 16};
  for (std::size_t i = 0; i < 5; ++i) table.batch_size.set(i, batches[i]);
  EXPECT_THAT(usual_batch_size(table), Optional(32.0));  // of equally frequent ones the larger one
  table.batch_size.set(2, 16);
  EXPECT_THAT(usual_batch_size(table), Optional(16.0));
}

TEST(TuneDynamicShapes, AreShapesThatChangeAgainAndAgain) {
  const knowledge::Library library = knowledge::Library::builtin();
  const knowledge::Tuning tuning = knowledge::Tuning::load(library).value();
  const auto dynamic = [&](std::vector<std::optional<bool>> changed) {
    StepTable table = table_of_steps(changed.size());
    derive::steps::testing::set_changes(table, std::move(changed));
    return has_dynamic_shapes(table, window_of(1, 20), tuning);
  };
  EXPECT_EQ(has_dynamic_shapes(table_of_steps(5), window_of(1, 20), tuning), std::nullopt);
  EXPECT_THAT(dynamic({false, false, false, false, false}), Optional(false));
  EXPECT_THAT(dynamic({false, false, true, true, true}), Optional(true));
  EXPECT_THAT(dynamic({false, false, false, false, true}), Optional(false));  // the last batch of an epoch
  EXPECT_THAT(dynamic({true, true, false, false, false}), Optional(false));   // while warming up, and at its end
}

TEST(TuneGpuFigures, KeepWhatNoSampleTells) {
  TuneRun run;
  measure_gpus({}, table_of_steps(3), run);
  EXPECT_FALSE(run.gpu_utilization_pct || run.peak_memory_ratio);
  model::GpuSample low, high;
  low.utilization_pct = 20, low.memory_used = 2e9, low.memory_total = 10e9;
  high.utilization_pct = 60, high.memory_used = 9e9, high.memory_total = 10e9;
  measure_gpus(std::vector{low, high}, table_of_steps(3), run);
  EXPECT_THAT(run.gpu_utilization_pct, Optional(40.0));
  EXPECT_THAT(run.peak_memory_ratio, Optional(0.9));
  measure_gpus({}, table_of_steps(3), run);
  EXPECT_THAT(run.gpu_utilization_pct, Optional(40.0));
}

// Steps become faster: 40, 30, 20, 10, 10 ms, with losses 5, 4, 3, 2, 1.
StepTable table_warming_up() {
  StepTable table = steps_of({40 * ms, 30 * ms, 20 * ms, 10 * ms, 10 * ms});
  for (std::size_t i = 0; i < 5; ++i) table.loss.set(i, 5 - static_cast<double>(i));
  return table;
}

TuneTrial trial_of_table(const StepTable& table, const TuneWindow& window) {
  TuneTrial trial;
  trial.window = window;
  trial.runs.emplace_back();
  measure_window(table, window, trial.runs.back());
  fill_in(trial);
  return trial;
}

// Spec 09, G5: a race is compared with the same steps of the baseline.
TEST(TuneSeenThrough, TakesTheStepsOfTheOtherWindow) {
  const TuneTrial baseline = trial_of_table(table_warming_up(), window_of(3, 2));
  EXPECT_DOUBLE_EQ(baseline.throughput.value(), 100);
  const TuneTrial seen = seen_through(baseline, window_of(1, 2), 3);
  EXPECT_DOUBLE_EQ(seen.throughput.value(), 40);  // two steps in 50 ms
  EXPECT_THAT(seen.runs.front().step_times_ms, ElementsAre(30, 20));
  EXPECT_THAT(seen.quality.final_loss, Optional(3.0));
  EXPECT_EQ(seen.window, window_of(1, 2));
}

// A run that was read back from its files has the times of its window alone.
TEST(TuneSeenThrough, TakesTheFirstStepsOfItsWindowWhereOthersAreNotKnown) {
  TuneTrial baseline = trial_of_table(table_warming_up(), window_of(2, 3));
  baseline.runs.front().steps.clear();
  baseline.runs.front().batch_size = 32;
  const TuneTrial seen = seen_through(baseline, window_of(1, 2), 2);
  EXPECT_THAT(seen.runs.front().step_times_ms, ElementsAre(20, 10));
  EXPECT_NEAR(seen.throughput.value(), 2 / 0.030, 1e-9);
  EXPECT_NEAR(seen.samples_per_s.value(), 64 / 0.030, 1e-9);
  EXPECT_FALSE(seen.quality.final_loss);
  EXPECT_EQ(seen.runs.front().step_count, 5u);
}

}  // namespace
}  // namespace frx::report
