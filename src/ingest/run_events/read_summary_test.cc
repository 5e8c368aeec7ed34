#include "ingest/run_events/read_summary.h"

#include <gtest/gtest.h>

#include <cmath>

namespace frx::ingest {
namespace {

const std::string scope = R"({"event_count": 9, "step_count": 1, "per_step": [
  {"step_id": 4, "status": "ok", "step_wall_time_ns": 100, "dataloader_wait_time_ns": 35, "h2d_copy_time_ns": 0, "kernel_count": 0}],
  "run_summary": {"average_gpu_utilization_pct": 41, "utilization_instability_pct": 2, "memory_pressure_peak_ratio": 0.0}})";

TEST(RunSummary, IsReadAsDocumented) {
  const RunSummary summary = read_run_summary(R"({"event_count": 9, "run": )" + scope + "}").value();
  ASSERT_EQ(summary.record.steps.size(), 1u);
  EXPECT_EQ(summary.record.steps.ids[0], 4);
  EXPECT_EQ(summary.record.steps.time(model::HostTime::loader, 0), 35);
  EXPECT_TRUE(summary.record.steps.completed(0));
  EXPECT_EQ(summary.event_count, 9);
  ASSERT_EQ(summary.record.samples.size(), 2u);
  EXPECT_EQ(*summary.record.samples[0].utilization_pct + *summary.record.samples[1].utilization_pct, 82);
}

TEST(RunSummary, MayBeOneScope) { EXPECT_EQ(read_run_summary(scope).value().record.steps.size(), 1u); }

// Its writers put 0 where nothing was measured.
TEST(RunSummary, ADocumentedZeroIsNoMeasurement) {
  const RunSummary summary = read_run_summary(scope).value();
  EXPECT_TRUE(summary.record.steps.recorded(model::HostTime::loader));
  EXPECT_FALSE(summary.record.steps.recorded(model::HostTime::host_to_device));
  EXPECT_FALSE(summary.record.steps.kernels[0]);
  EXPECT_FALSE(summary.record.samples[0].memory_used);
}

TEST(RunSummary, OursTellsZeroFromNothing) {
  const RunSummary summary = read_run_summary(R"({"schema": "run_analysis_v1", "run_id": "run-1",
    "inputs": [{"path": "raw/trace.jsonl", "bytes": 7, "sha256": "ab"}], "run": {"per_step": [{"step_id": 1, "status": "ok", "step_wall_time_ns": 9,
    "dataloader_wait_time_ns": 5, "dataloader_wait_before_step_ns": 5, "h2d_copy_time_ns": 0, "sync_wait_time_ns": null}]}})")
                                 .value();
  EXPECT_EQ(summary.record.steps.time(model::HostTime::host_to_device, 0), 0);
  EXPECT_FALSE(summary.record.steps.recorded(model::HostTime::sync));
  EXPECT_EQ(summary.record.steps.time(model::HostTime::loader_before, 0), 5);
  EXPECT_EQ(summary.record.steps.time(model::HostTime::loader, 0), 0);
  EXPECT_EQ(summary.run_id, "run-1");
  ASSERT_EQ(summary.inputs.size(), 1u);
  EXPECT_EQ(summary.inputs[0].sha256, "ab");
}

TEST(RunSummary, KeepsALossThatIsNoNumberAnyMore) {
  const RunSummary summary = read_run_summary(R"({"per_step": [{"step_id": 1, "loss": "nan"}, {"step_id": 2, "loss": 0.5}]})").value();
  EXPECT_TRUE(std::isnan(summary.record.steps.loss[0].value()));
  EXPECT_EQ(summary.record.steps.loss[1], 0.5);
}

TEST(RunSummary, RefusesWhatIsNone) {
  for (const char* text : {"", "[]", "{}", "null", "{\"run\": []}", "{\"schema\": \"run_analysis_v9\", \"per_step\": []}",
                           "{\"per_step\": 3}", "{\"schema\": 1, \"per_step\": []}"}) {
    EXPECT_FALSE(read_run_summary(text)) << text;
  }
  EXPECT_TRUE(read_run_summary(R"({"per_step": [1, null, {"step_id": "x"}, {"step_id": 1, "loss": []}], "run_summary": 5})"));
}

}  // namespace
}  // namespace frx::ingest
