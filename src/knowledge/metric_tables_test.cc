#include "knowledge/metric_tables.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "knowledge/knowledge.h"

namespace frx::knowledge {
namespace {

const Knowledge& known() {
  static const Knowledge all = Knowledge::load("").value();
  return all;
}

TEST(MetricTables, AreTheDocumentedOnesInTheirOrder) {
  EXPECT_EQ(known().tables.measured.front().name, "DRAM Throughput");
  EXPECT_EQ(known().tables.measured.size(), 14u);
  EXPECT_EQ(known().tables.explained.size(), 8u);
  EXPECT_EQ(known().tables.compared.front().key, "avg_dram_throughput_pct");
  EXPECT_EQ(known().tables.averages.size(), 19u);
}

TEST(MetricTables, NameLabelsAndLimitsThatMakeSense) {
  for (const MetricTables::Measured& row : known().tables.measured) {
    EXPECT_EQ(row.high_is_bad, row.warning < row.critical) << row.id;
    for (const std::string_view label : row.labels) EXPECT_NE(known().labels.with_id(label), nullptr) << row.id << ": " << label;
    EXPECT_EQ(row.excuse.empty(), row.context != MetricTables::Context::by_label) << row.id;
  }
  for (const MetricTables::Explained& row : known().tables.explained) {
    EXPECT_EQ(row.better == MetricTables::Better::lower, row.good < row.bad) << row.key;
  }
}

TEST(MetricTables, FindMetricsByTheirDocumentedNames) {
  EXPECT_EQ(known().tables.metric_called("avg_occupancy_pct"), "achieved_occupancy_pct");
  EXPECT_EQ(known().tables.metric_called("duration_us"), "kernel_duration");
  EXPECT_EQ(known().tables.metric_called("dram_throughput_pct"), "");
}

std::string refusal_of_tables(const std::string& text) {
  const TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
  EXPECT_TRUE(write_file(folder.file("metrics/tables.yaml"), text));
  const Result<Knowledge> loaded = Knowledge::load(folder.path());
  return loaded ? std::string() : to_string(loaded.error());
}

TEST(MetricTables, RefuseWhatIsNoRowWithFileAndLine) {
  const std::string row = "largest_stall: {name: S, bad: high, warning: 1, critical: 2, context: none}\nmeasured:\n  - ";
  EXPECT_EQ(refusal_of_tables(row + "{metric: dram_pct, name: D, bad: high, warning: 1, critical: 2, context: none}\n"), "");
  const std::string unknown = refusal_of_tables(row + "{metric: dram_pcz, name: D, bad: high, warning: 1, critical: 2, context: none}\n");
  EXPECT_NE(unknown.find("data/metrics/tables.yaml:3"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("no metric is called 'dram_pcz'"), std::string::npos) << unknown;
  EXPECT_NE(refusal_of_tables(row + "{metric: dram_pct, name: D, bad: up, warning: 1, critical: 2, context: none}\n")
                .find("expected one of low, high for 'bad'"),
            std::string::npos);
  EXPECT_NE(refusal_of_tables(row + "{metric: dram_pct, name: D, bad: high, warning: some, critical: 2, context: none}\n")
                .find("for 'warning', found 'some'"),
            std::string::npos);
}

// ---- Stall reasons

TEST(StallReasons, HaveAClassAndWhatIsWaitedFor) {
  const StallReason* const scoreboard = known().metrics.stall_reason("long_scoreboard");
  ASSERT_NE(scoreboard, nullptr);
  EXPECT_EQ(scoreboard->kind(), "memory");
  EXPECT_EQ(scoreboard->state, "waits for a result of global, local, texture or surface memory");
  EXPECT_EQ(known().metrics.stall_reason("lg_throttle")->kind(), "memory");
  EXPECT_EQ(known().metrics.stall_reason("sleeping")->kind(), "");
  EXPECT_EQ(known().metrics.stall_reason("long_scorebord"), nullptr);
}

TEST(StallReasons, StandInTheMeaningsOfTheirMetrics) {
  const auto meaning = [](std::string_view id) { return known().metrics[*known().metrics.with_id(id)].meaning; };
  EXPECT_EQ(meaning("stall_barrier_samples"), "Samples that found a warp which waits at a block barrier for other warps.");
  for (const MetricDefinition& metric : known().metrics.all()) EXPECT_EQ(metric.meaning.find('{'), std::string_view::npos) << metric.id;
}

TEST(StallReasons, EveryShareOfTimeHasItsReason) {
  for (const MetricDefinition& metric : known().metrics.all()) {
    if (!metric.id.starts_with("warp_stall_") || metric.id.ends_with("_share")) continue;
    EXPECT_NE(known().metrics.stall_reason(metric.id.substr(std::string_view("warp_stall_").size())), nullptr) << metric.id;
  }
}

TEST(StallReasons, AreAskedByClass) {
  EXPECT_FALSE(known().metrics.operand_called({}));  // no text at all
  const auto memory = known().metrics.operand_called("stalls.memory");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->each.size(), 8u);
  EXPECT_EQ(known().metrics.operand_called("stalls.throttle")->each.size(), 4u);
  EXPECT_FALSE(known().metrics.operand_called("stalls.nothing"));
}

TEST(StallReasons, RefuseAReasonWithoutAMetric) {
  const TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
  ASSERT_TRUE(write_file(folder.file("metrics/own.yaml"), "reasons:\n  - {id: boredom, state: waits for nothing}\nmetrics: []\n"));
  const Result<Knowledge> loaded = Knowledge::load(folder.path());
  ASSERT_FALSE(loaded);
  EXPECT_NE(to_string(loaded.error()).find("data/metrics/own.yaml:2: no metric is called 'warp_stall_boredom'"), std::string::npos);
}

}  // namespace
}  // namespace frx::knowledge
