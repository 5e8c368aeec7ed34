#include "compose/documents.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compose/ncu_sections.h"
#include "compose/testing.h"

namespace frx::compose {
namespace {

using testing::contains;
using testing::finding;
using testing::kernel;
using testing::ncu_brief_text;
using testing::ncu_report_text;
using testing::small_report;
using testing::too_wide;

const std::string long_name = "void " + std::string(300, 'n') + "<float, 4>(\xc3\xa4\x1b[31m)";

report::NcuReport crowded_report() {
  report::NcuReport report = small_report();
  report.kernels.clear();
  for (int i = 0; i < 12; ++i) report.kernels.push_back(kernel(fmt::format("{}{}", long_name, i), 100, 8.3));
  report.source = "/" + std::string(120, 'd') + "/report.csv";
  report.notes = {std::string(200, 'x'), "line one\nline two \x1b[2J"};
  report.validation.errors = {"row 3: " + std::string(90, 'e')};
  report.profiler_rules.push_back(
      {"k", "section", "Rule" + std::string(60, 'r'), "OPT", "text\nwith " + std::string(200, 'y'), 12.0, false, 3});
  report.findings.push_back(finding("warp_stall_memory", 0.3));
  report.findings.back().consequence_of = "memory_bandwidth_bound";
  report.advice.recommendations[0].kernel = long_name;
  return report;
}

TEST(NcuReportText, SectionsStandInTheDocumentedOrder) {
  report::NcuReport report = crowded_report();
  const std::string text = ncu_report_text(report, {});
  std::size_t last = 0;
  for (const std::string_view heading : {"VERDICT", "CSV VALIDATION", "MEASURED METRICS", "KERNELS (10 of 12", "BOTTLENECKS DETECTED (2)",
                                         "RECOMMENDATIONS (1)", "NSIGHT SAYS", "DATA NOTES", "NEXT STEPS"}) {
    const std::size_t at = text.find(std::string("\n") + std::string(heading));
    ASSERT_NE(at, std::string::npos) << heading;
    EXPECT_GT(at, last) << heading;
    last = at;
  }
}

TEST(NcuReportText, ADebugBuildIsSaidFirst) {
  report::NcuReport report = small_report();
  EXPECT_FALSE(contains(ncu_report_text(report, {}), "-G"));
  report.debug_kernels = {report.kernels.front().short_name};
  const std::string text = ncu_report_text(report, {});
  EXPECT_LT(text.find("Build        :"), text.find("Primary      :"));
  EXPECT_TRUE(contains(text, "1. Build without -G"));
}

TEST(NcuReportText, NothingIsWiderThanThePage) {
  for (const int width : {60, 80, 100}) {
    EXPECT_EQ(too_wide(ncu_report_text(crowded_report(), {.width = width}), static_cast<std::size_t>(width)), std::vector<std::string>{})
        << width;
    EXPECT_EQ(too_wide(ncu_brief_text(crowded_report(), {.width = width}), static_cast<std::size_t>(width)), std::vector<std::string>{})
        << width;
  }
}

TEST(NcuReportText, NoEscapesWithoutColour) {
  EXPECT_FALSE(contains(ncu_report_text(crowded_report(), {}), "\x1b"));
  EXPECT_FALSE(contains(ncu_brief_text(crowded_report(), {}), "\x1b"));
  EXPECT_TRUE(contains(ncu_report_text(crowded_report(), {.colour = true}), "\x1b[31m"));
}

TEST(NcuReportText, ColourChangesNoCharacter) {
  std::string coloured = ncu_report_text(crowded_report(), {.colour = true});
  for (std::size_t at = coloured.find('\x1b'); at != coloured.npos; at = coloured.find('\x1b'))
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(coloured, ncu_report_text(crowded_report(), {}));
}

TEST(NcuReportText, VerdictSaysWhatWhereAndHowMuch) {
  const std::string text = ncu_report_text(small_report(), {});
  EXPECT_TRUE(contains(text, "The Bottleneck (memory_bandwidth_bound)"));
  EXPECT_TRUE(contains(text, "ns::stream"));
  EXPECT_TRUE(contains(text, "at most 80 us of 1 ms (8.0 %)"));
}

TEST(NcuReportText, WithoutDurationsNothingIsAtStake) {
  report::NcuReport report = small_report();
  report.duration_us.reset();
  report.findings[0].time_at_stake.reset();
  EXPECT_TRUE(contains(ncu_report_text(report, {}), "not known: the file has no durations"));
}

TEST(NcuReportText, AConsequenceStandsBelowItsCause) {
  const std::string text = ncu_report_text(crowded_report(), {});
  EXPECT_LT(text.find("(memory_bandwidth_bound)\n"), text.find("consequence of memory_bandwidth_bound"));
}

TEST(NcuReportText, FindingsThatExplainEachOtherAreAllPrinted) {
  report::NcuReport report = small_report();
  report.findings.push_back(finding("a", 0.5));
  report.findings.push_back(finding("b", 0.4));
  report.findings[1].consequence_of = "b";
  report.findings[2].consequence_of = "a";
  const std::string text = ncu_report_text(report, {});
  EXPECT_TRUE(contains(text, "(a)"));
  EXPECT_TRUE(contains(text, "(b)"));
}

TEST(NcuReportText, NothingFoundIsAnAnswer) {
  report::NcuReport report = small_report();
  report.primary = "inconclusive";
  report.findings.clear();
  report.kernels.clear();
  report.advice.recommendations.clear();
  const std::string text = ncu_report_text(report, {});
  EXPECT_TRUE(contains(text, "BOTTLENECKS DETECTED (0)"));
  EXPECT_TRUE(contains(text, "RECOMMENDATIONS (0)"));
  EXPECT_TRUE(contains(ncu_brief_text(report, {}), "BOTTLENECK RANKING (0)"));
}

TEST(NcuReportText, TheCardSaysHowToCheckIt) {
  const std::string text = ncu_report_text(small_report(), {});
  EXPECT_TRUE(contains(text, "ncu --csv --log-file report.csv --metrics dram__bytes.sum,lts__t_sector_hit_rate.pct ./your_app\n"));
  EXPECT_TRUE(contains(text, "<-- DRAM bytes: was 16; falls (target: 4)\n"));
  EXPECT_TRUE(contains(text, "--> L2 hit rate: rises\n"));  // not measured: no "was"
  EXPECT_TRUE(contains(text, "fourth action"));
  EXPECT_TRUE(contains(text, "20 to 60 % faster"));
}

TEST(NcuReportText, BriefHasThreeActionsAndPrintsMissingValues) {
  const std::string text = ncu_brief_text(small_report(), {});
  EXPECT_TRUE(contains(text, "third action"));
  EXPECT_FALSE(contains(text, "fourth action"));
  EXPECT_TRUE(contains(text, "L2 Hit Rate               : n/a"));
  EXPECT_TRUE(contains(text, "1. 0.93  The Bottleneck (memory_bandwidth_bound)"));
}

TEST(NcuReportText, NoNcuCommandsForAGpuItDoesNotSupport) {
  report::NcuReport report = small_report();
  report.compute_capability = "6.1";
  report.collect_command = "ncu --metrics x ./your_app";
  EXPECT_FALSE(contains(ncu_report_text(report, {}), "ncu --"));
  report.compute_capability = "10.0";
  EXPECT_TRUE(contains(ncu_report_text(report, {}), "ncu --"));
}

TEST(NcuReportText, FamilyWarningsOnlyForDetectedBottlenecks) {
  report::NcuReport report = small_report();
  report.validation.missing_by_preset = {{"memory", {"l2_cache_hit_rate_pct"}}, {"tensor", {"tensor_core_utilization_pct"}}};
  const std::string text = ncu_report_text(report, {});
  EXPECT_TRUE(contains(text, "for the memory question the file lacks l2_cache_hit_rate_pct"));
  EXPECT_FALSE(contains(text, "for the tensor question"));
}

}  // namespace
}  // namespace frx::compose
