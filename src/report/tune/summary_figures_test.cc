#include "report/tune/summary_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::Pair;

TuneRun told_by(std::string_view content, TuneRun run = {}) {
  EXPECT_TRUE(take_summary(content, run)) << content;
  return run;
}

TEST(TuneSummary, StandsInWhereThereAreNoSteps) {
  const TuneRun run =
      told_by(R"({"run": {"step_count": 25, "run_summary": {"throughput_steps_per_sec": 4.8, "dominant_stall_type": "input_bound",
    "average_gpu_utilization_pct": 41.5, "memory_pressure_peak_ratio": 0.7}, "quality": {"initial_loss": 3, "final_loss": 2, "nan_count": 1}}})");
  EXPECT_EQ(run.scope, "run");
  EXPECT_EQ(run.step_count, 25u);
  EXPECT_THAT(run.throughput_steps_per_s, Optional(4.8));
  EXPECT_THAT(run.gpu_utilization_pct, Optional(41.5));
  EXPECT_THAT(run.peak_memory_ratio, Optional(0.7));
  EXPECT_EQ(run.dominant_stall, "input_bound");
  EXPECT_THAT(run.quality.final_loss, Optional(2.0));
  EXPECT_EQ(run.quality.nan_count, 1u);
}

TEST(TuneSummary, TheScopeNearestToTheWindowCounts) {
  const std::string rest =
      R"("steady_state": {"run_summary": {"throughput_steps_per_sec": 2}}, "run": {"run_summary": {"throughput_steps_per_sec": 1}},
    "run_summary": {"throughput_steps_per_sec": 9}})";
  EXPECT_EQ(told_by("{" + rest).scope, "steady_state");
  EXPECT_THAT(told_by(R"({"measurement_window": {"run_summary": {"throughput_steps_per_sec": 3}}, )" + rest).throughput_steps_per_s,
              Optional(3.0));
  EXPECT_EQ(told_by(R"({"measurement_window": {"run_summary": {"throughput_steps_per_sec": 0}}, )" + rest).scope, "steady_state");
  EXPECT_EQ(told_by(R"({"run_summary": {"throughput_steps_per_sec": 9}, "step_count": 4})").scope, "bare");
}

TEST(TuneSummary, DoesNotReplaceWhatStepsTell) {
  TuneRun measured;
  measured.scope = "measurement_window";
  measured.step_count = 20;
  measured.throughput_steps_per_s = 5;
  measured.dominant_stall = "none";
  measured.peak_memory_ratio = 0.4;
  measured.quality.final_loss = 1;
  const TuneRun run =
      told_by(R"({"run_summary": {"throughput_steps_per_sec": 9, "memory_pressure_peak_ratio": 0.9, "dominant_stall_type": "copy_bound"},
    "quality": {"final_loss": 7, "max_output_abs_diff": 0.002}})",
              measured);
  EXPECT_THAT(run.throughput_steps_per_s, Optional(5.0));
  EXPECT_THAT(run.peak_memory_ratio, Optional(0.4));
  EXPECT_EQ(run.dominant_stall, "none");
  EXPECT_THAT(run.quality.final_loss, Optional(1.0));
  EXPECT_THAT(run.quality.reported, ElementsAre(Pair("max_output_abs_diff", 0.002)));
}

TEST(TuneSummary, QualityMayStandAmongTheFigures) {
  const TuneRun run = told_by(R"({"run": {"run_summary": {"accuracy": 0, "validation_loss": 0.6}, "quality": {"validation_loss": 0.5}}})");
  EXPECT_THAT(run.quality.reported, ElementsAre(Pair("accuracy", 0), Pair("validation_loss", 0.5)));
}

// Its writers put 0 where nothing was measured; and it may hold anything.
TEST(TuneSummary, TakesNoNumbersThatAreNone) {
  const TuneRun run =
      told_by(R"({"run": {"step_count": -3, "run_summary": {"throughput_steps_per_sec": "fast", "average_gpu_utilization_pct": 0,
    "memory_pressure_peak_ratio": 0.0, "dominant_stall_type": "unknown"}, "quality": [1]}, "run_summary": 5, "steady_state": null})");
  EXPECT_EQ(run.scope, "");
  EXPECT_FALSE(run.throughput_steps_per_s || run.gpu_utilization_pct || run.peak_memory_ratio);
  EXPECT_EQ(run.dominant_stall, "");
  EXPECT_THAT(run.quality.reported, IsEmpty());
}

TEST(TuneSummary, IsAnObject) {
  TuneRun run;
  for (const char* text : {"", "[]", "null", "{", "5"}) EXPECT_FALSE(take_summary(text, run)) << text;
}

}  // namespace
}  // namespace frx::report
