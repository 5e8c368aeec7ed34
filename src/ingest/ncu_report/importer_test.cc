// Reports as sessions.
#include <gmock/gmock.h>

#include "ingest/testing.h"
#include "support/ncu_report_from_yaml.h"

namespace frx::ingest::testing {
namespace {

model::Session imported(const std::string& yaml) {
  const Result<std::string> bytes = frx::testing::ncu_report_from_yaml("report.yaml", yaml);
  if (!bytes) {
    ADD_FAILURE() << to_string(bytes.error());
    return {};
  }
  return session_of(*bytes);
}

TEST(NcuReportImporter, TakesValuesInBaseUnits) {
  const model::Session session = imported(R"(
launches:
  - kernel: k
    metrics: {gpu__time_duration.sum: 2000.0, dram__bytes.sum: 4096.0, dram__bytes.sum.per_second: 2.048e9,
              dram__throughput.avg.pct_of_peak_sustained_elapsed: 50.0, device__attribute_clock_rate: 1410000}
)");
  EXPECT_DOUBLE_EQ(mean(session, "k", metrics::kernel_duration).value_or(-1), 2000.0);
  EXPECT_DOUBLE_EQ(mean(session, "k", metrics::dram_bytes).value_or(-1), 4096.0);
  EXPECT_DOUBLE_EQ(mean(session, "k", metrics::dram_throughput_pct).value_or(-1), 50.0);
}

TEST(NcuReportImporter, KeepsLaunchesOfDifferentShapesApart) {
  const model::Session session = imported(R"(
device: {name: NVIDIA A100-SXM4-40GB, cc: 8.0}
launches:
  - {kernel: k, grid: [10, 1, 1], block: [128, 1, 1]}
  - {kernel: k, grid: [10, 1, 1], block: [128, 1, 1]}
  - {kernel: k, grid: [20, 1, 1], block: [128, 1, 1]}
)");
  ASSERT_EQ(session.kernels.size(), 1u);
  ASSERT_EQ(session.kernels[0].groups.size(), 2u);
  EXPECT_EQ(session.kernels[0].groups[0].launches, 2u);
  EXPECT_EQ(session.kernels[0].groups[0].grid, (model::Dim3{10, 1, 1}));
  EXPECT_EQ(session.devices.at(0).name, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(session.devices.at(0).cc, (model::ComputeCapability{8, 0}));
}

TEST(NcuReportImporter, DividesGridsInThreads) {
  const model::Session session =
      imported("grid_in_threads: true\nlaunches: [{kernel: k, grid: [10, 3, 1], block: [128, 2, 1], metrics: {launch__grid_size: 30}}]\n");
  EXPECT_EQ(session.kernels[0].groups[0].grid, (model::Dim3{10, 3, 1}));
}

TEST(NcuReportImporter, CountsNanAndAbsentValuesOfKnownCountersAsNotMeasured) {
  const model::Session session = imported(R"(
launches: [{kernel: k, metrics: {dram__bytes.sum: nan, gpu__time_duration.sum: ~, some__other.sum: nan}}]
)");
  EXPECT_EQ(session.absent_values, 2u);
  EXPECT_FALSE(mean(session, "k", metrics::dram_bytes));
  EXPECT_TRUE(session.unknown_metrics.contains("some__other.sum"));
}

TEST(NcuReportImporter, AFailedLaunchHasNoValues) {
  const model::Session session = imported(R"(
launches: [{kernel: k, grid: [0, 0, 0], block: [0, 0, 0], metrics: {launch__registers_per_thread: 0, gpu__time_duration.sum: nan}}]
)");
  EXPECT_EQ(session.launches, 1u);
  EXPECT_FALSE(session.kernels[0].groups[0].grid);
  EXPECT_FALSE(mean(session, "k", metrics::registers_per_thread));
  EXPECT_TRUE(has_note(session, "a launch failed"));
}

TEST(NcuReportImporter, ARangeHasCountersAndNoShape) {
  const model::Session session = imported(R"(
launches:
  - {kernel: range, grid: [0, 0, 0], block: [0, 0, 0],
     metrics: {launch__registers_per_thread: 0, gpu__time_duration.sum: 5000, dram__bytes.sum: 0}}
)");
  EXPECT_EQ(session.timed_launches, 1u);
  EXPECT_EQ(mean(session, "range", metrics::kernel_duration), 5000);
  EXPECT_EQ(mean(session, "range", metrics::dram_bytes), 0);
  EXPECT_FALSE(mean(session, "range", metrics::registers_per_thread));
  EXPECT_FALSE(has_note(session, "failed"));
  EXPECT_TRUE(has_note(session, "a result has counters and no threads"));
}

TEST(NcuReportImporter, SaysOfALaunchOfNanThatItIsNotDamaged) {
  const model::Session session = imported(R"(
launches:
  - {kernel: k, grid: [4, 1, 1], block: [64, 1, 1], metrics: {launch__registers_per_thread: 24, gpu__time_duration.sum: nan, dram__bytes.sum: nan}}
  - {kernel: k, grid: [4, 1, 1], block: [64, 1, 1], metrics: {launch__registers_per_thread: 24, gpu__time_duration.sum: 900, dram__bytes.sum: nan}}
)");
  EXPECT_EQ(session.launches, 2u);
  EXPECT_EQ(mean(session, "k", metrics::registers_per_thread), 24);
  EXPECT_TRUE(has_note(session, "no counter of a launch could be collected"));
  EXPECT_FALSE(has_note(session, "times)"));
}

TEST(NcuReportImporter, TakesFiredRulesWithTheirEstimates) {
  const model::Session session = imported(R"(
launches:
  - kernel: k
    rules:
      - {id: CPIStall, section: WarpStateStats, text: "See @section:SourceCounters:Source Counters@", speedup: {global: 12.5}}
      - {id: Occupancy, section: Occupancy, text: "Low", speedup: {local: 50}}
      - {id: Silent, section: SpeedOfLight}
)");
  ASSERT_EQ(session.rules.size(), 2u);
  EXPECT_FALSE(session.rules[0].is_local_estimate);
  EXPECT_TRUE(session.rules[1].is_local_estimate);
  EXPECT_EQ(session.rules[0].name, "CPIStall");
  EXPECT_EQ(session.rules[0].type, "OPT");
  EXPECT_EQ(session.rules[0].text, "See Source Counters");
  EXPECT_EQ(session.rules[0].estimated_speedup_pct, 12.5);
}

TEST(NcuReportImporter, KeepsTheRangesOfAKernelOnceEach) {
  const model::Session session = imported(R"(
launches:
  - {kernel: k, nvtx: {training: [step, forward]}}
  - {kernel: k, nvtx: {training: [step, forward]}}
  - {kernel: k, nvtx: {training: [step, backward]}}
  - {kernel: other}
)");
  EXPECT_THAT(session.kernels[0].ranges, ::testing::ElementsAre("training: step / backward", "training: step / forward"));
  EXPECT_THAT(session.kernels[1].ranges, ::testing::IsEmpty());
}

TEST(NcuReportImporter, SaysWhichToolWroteIt) {
  EXPECT_EQ(imported("tool: 2025.1.0.0\nlaunches: [{kernel: k}]\n").format, "Nsight Compute report 2025.1.0.0");
}

TEST(NcuReportImporter, RefusesAReportWithoutLaunches) {
  const Result<std::string> bytes = frx::testing::ncu_report_from_yaml("report.yaml", "tool: 2025.1.0.0\n");
  ASSERT_TRUE(bytes);
  EXPECT_THAT(refusal_of(*bytes), ::testing::HasSubstr("expected kernel launches in the report, found none"));
}

}  // namespace
}  // namespace frx::ingest::testing
