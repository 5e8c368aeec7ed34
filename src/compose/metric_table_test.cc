#include "compose/metric_table.h"

#include <gtest/gtest.h>

#include "compose/testing.h"

namespace frx::compose {
namespace {

using testing::finding;
using testing::small_report;
using testing::value;

MetricRow row(const report::NcuReport& report, std::string_view id) {
  for (const MetricRow& candidate : metric_rows(report)) {
    if (candidate.id == id) return candidate;
  }
  ADD_FAILURE() << "no row " << id;
  return {};
}

TEST(MetricTable, MissingIsNeverZero) {
  const MetricRow tensor = row(small_report(), "tensor_core_utilization_pct");
  EXPECT_EQ(tensor.status, Status::missing);
  EXPECT_EQ(tensor.value, "n/a");
  EXPECT_EQ(row(small_report(), "dominant_stall").value, "unknown");
}

TEST(MetricTable, SaturatedDramIsMarked) {
  const MetricRow dram = row(small_report(), "dram_throughput_pct");
  EXPECT_EQ(dram.status, Status::critical);
  EXPECT_EQ(dram.value, "92.0 %");
  EXPECT_EQ(dram.hint, "saturated (> 80 %)");
}

TEST(MetricTable, AStreamHasNoL1HitsToMake) {
  const MetricRow l1 = row(small_report(), "l1_cache_hit_rate_pct");
  EXPECT_EQ(l1.status, Status::ok);
  EXPECT_TRUE(l1.excused);
}

TEST(MetricTable, LowHitRateCountsWhenReuseIsLost) {
  report::NcuReport report = small_report();
  report.findings.push_back(finding("l1_cache_thrashing", 0.3));
  EXPECT_EQ(row(report, "l1_cache_hit_rate_pct").status, Status::critical);
}

TEST(MetricTable, WhatCannotBeToldIsAWarning) {
  report::NcuReport report = small_report();
  report.others.push_back(model::testing::finding("l1_cache_thrashing", model::Layer::ncu, "", model::Verdict::cannot_tell));
  EXPECT_EQ(row(report, "l1_cache_hit_rate_pct").status, Status::warning);
}

TEST(MetricTable, IssueSlotsDoNotMatterAtTheRoof) {
  const MetricRow issue = row(small_report(), "issue_slot_utilization_pct");
  EXPECT_EQ(issue.status, Status::ok);
  EXPECT_EQ(issue.hint, "not the limit here: memory_bandwidth_bound is");
}

TEST(MetricTable, ThresholdsDecideWhereNothingIsAtItsLimit) {
  report::NcuReport report = small_report();
  report.primary = "inconclusive";
  report.findings.clear();
  EXPECT_EQ(row(report, "issue_slot_utilization_pct").status, Status::critical);
  EXPECT_EQ(row(report, "issue_slot_utilization_pct").hint, "very low (< 40 %)");
}

TEST(MetricTable, AConsequenceNamesItsCause) {
  report::NcuReport report = small_report();
  report.findings.push_back(finding("low_issue_efficiency", 0.1));
  report.findings.back().consequence_of = "grid_too_small";
  const MetricRow issue = row(report, "issue_slot_utilization_pct");
  EXPECT_EQ(issue.status, Status::warning);
  EXPECT_EQ(issue.hint, "very low (< 40 %): consequence of grid_too_small");
}

TEST(MetricTable, WideLoadsAreNotUncoalesced) {
  report::NcuReport report = small_report();
  report.values.push_back(value("global_load_sectors_per_request", 16, "sector/request"));
  EXPECT_EQ(row(report, "global_load_sectors_per_request").status, Status::ok);
  report.findings.push_back(finding("uncoalesced_access", 0.5));
  EXPECT_EQ(row(report, "global_load_sectors_per_request").status, Status::critical);
}

TEST(MetricTable, DominantStallHasNameShareAndClass) {
  report::NcuReport report = small_report();
  report.stalls = {{"long_scoreboard", 55.25, "memory"}, {"wait", 10, "compute"}};
  report.dominant_stall = "long_scoreboard";
  const MetricRow stall = row(report, "dominant_stall");
  EXPECT_EQ(stall.value, "long_scoreboard (55.2 %)");
  EXPECT_TRUE(stall.hint.starts_with("memory stall; "));
}

}  // namespace
}  // namespace frx::compose
