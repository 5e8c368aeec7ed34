#include "frx_generated/metric_ids.h"
#include "ingest/testing.h"

namespace frx::ingest {
namespace {

using testing::has_note;
using testing::mean;
using testing::refusal_of;
using testing::session_of;
using testing::sum;

constexpr std::string_view old_rule =
    "    ---------------------------------------------------------------------- --------------- ------------------------------\n";

// A row of the fixed columns of 2020-2022: 70, 15 and 30 characters.
std::string old_row(std::string_view label, std::string_view unit, std::string_view value) {
  return fmt::format("    {:<70} {:>15} {:>30}\n", label, unit, value);
}

std::string old_page(std::string_view rows, std::string_view section = "GPU Speed Of Light") {
  return fmt::format("[77] app@host\n  axpy(int, float *), 2022-Mar-01 10:20:30, Context 1, Stream 7\n    Section: {}\n{}{}{}\n", section,
                     old_rule, rows, old_rule);
}

// The columns since 2023 are as wide as their longest cell: 20, 12 and 12 here.
constexpr std::string_view new_rule = "    -------------------- ------------ ------------\n";
std::string new_row(std::string_view label, std::string_view unit, std::string_view value) {
  return fmt::format("    {:<20} {:>12} {:>12}\n", label, unit, value);
}

std::string new_table(std::string_view section, std::string_view rows) {
  return fmt::format("    Section: {}\n{}{}{}{}{}\n", section, new_rule, new_row("Metric Name", "Metric Unit", "Metric Value"), new_rule,
                     rows, new_rule);
}

std::string new_launch(std::string_view name = "axpy(int, float *)", std::string_view shape = "(16, 64, 1)x(32, 8, 1)") {
  return fmt::format("  {} {}, Context 1, Stream 7, Device 2, CC 8.6\n", name, shape);
}

TEST(NcuText, CutsTheNameBeforeTheDate) {
  const model::Session session = session_of(old_page(old_row("Duration", "msecond", "4.16")));
  ASSERT_EQ(session.kernels.size(), 1u);
  EXPECT_EQ(session.kernels[0].name, "axpy(int, float *)");
  EXPECT_EQ(session.kernels[0].groups[0].grid, std::nullopt);
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::kernel_duration), 4.16e6);
}

TEST(NcuText, ReadsGridBeforeBlock) {
  const model::Session session = session_of(new_launch() + new_table("GPU Speed Of Light Throughput", new_row("Duration", "us", "7.50")));
  ASSERT_EQ(session.kernels.size(), 1u);
  const model::LaunchGroup& group = session.kernels[0].groups[0];
  EXPECT_EQ(session.kernels[0].name, "axpy(int, float *)");
  EXPECT_EQ(group.grid, (model::Dim3{16, 64, 1}));
  EXPECT_EQ(group.block, (model::Dim3{32, 8, 1}));
  EXPECT_EQ(group.device, 2);
  EXPECT_EQ(group.cc, (model::ComputeCapability{8, 6}));
}

TEST(NcuText, ReadsCountersOfAnotherConventionThanTheTables) {
  const std::string tables = old_row("Duration", "msecond", "4,16") + old_row("Registers Per Thread", "register/thread", "32");
  const std::string counters = old_row("smsp__inst_executed.sum", "inst", "1,234,567") + old_row("dram__bytes_read.sum", "Mbyte", "2.50");
  for (const std::string& page : {tables + counters, counters + tables}) {
    const model::Session session = session_of(old_page(page));
    EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::kernel_duration), 4.16e6);
    EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::instructions_executed), 1234567);
    EXPECT_DOUBLE_EQ(*mean(session, "axpy(int, float *)", metrics::dram_bytes_read), 2.5e6);
  }
}

TEST(NcuText, ReadsCountersThatProveNothingLikeTheTables) {
  const model::Session session =
      session_of(old_page(old_row("Duration", "msecond", "4,16") + old_row("smsp__inst_executed.sum", "inst", "1.234.567")));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::instructions_executed), 1234567);
}

TEST(NcuText, StillRefusesTablesOfTwoConventions) {
  const std::string refusal = refusal_of(old_page(old_row("Duration", "msecond", "4,16") + old_row("Elapsed Cycles", "cycle", "81.50")));
  EXPECT_NE(refusal.find("numbers in two conventions"), refusal.npos) << refusal;
}

TEST(NcuText, KeepsCommasAndBracketsInNames) {
  const std::string_view name = "void walk<4, pair<int, (bool)1>>(T1, Stream 3)";
  const model::Session session = session_of(new_launch(name) + new_table("Occupancy", new_row("Achieved Occupancy", "%", "50.00")));
  ASSERT_EQ(session.kernels.size(), 1u);
  EXPECT_EQ(session.kernels[0].name, name);
}

TEST(NcuText, OpensALaunchPerKernelLine) {
  const std::string page = new_launch() + new_table("GPU Speed Of Light Throughput", new_row("Duration", "us", "10.00"));
  const model::Session session = session_of(page + page + page);
  EXPECT_EQ(session.launches, 3u);
  EXPECT_EQ(session.kernels.size(), 1u);
  EXPECT_EQ(sum(session, "axpy(int, float *)", metrics::kernel_duration), 30e3);
}

TEST(NcuText, ReadsColumnsThatAreOneBlankApart) {
  const model::Session session =
      session_of(new_launch() + new_table("GPU Speed Of Light Throughput", new_row("Elapsed Cycles", "cycle-second", "208,417.00") +
                                                                               new_row("Duration", "us", "1,208,417.00")));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::kernel_duration), 1208417e3);
}

TEST(NcuText, ReadsARowWithoutAUnit) {
  const model::Session session =
      session_of(new_launch() + new_table("Launch Statistics", new_row("Block Size", "", "256") + new_row("Grid Size", "", "16,384")));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::threads_per_block), 256);
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::grid_size), 16384);
}

TEST(NcuText, ReadsDigitsGroupedByBlanks) {
  const model::Session session =
      session_of(old_page(old_row("Elapsed Cycles", "cycle", "24 605 318") + old_row("Duration", "msecond", "17,25")));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::elapsed_cycles), 24605318);
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::kernel_duration), 17.25e6);
  EXPECT_TRUE(has_note(session, "decimal comma"));
}

TEST(NcuText, ReadsDigitsGroupedByNoBreakBlanks) {
  // Padded by characters, where the group sign is one character of two bytes.
  const std::string row =
      "    Elapsed Cycles              cycle   24\xC2\xA0"
      "605\xC2\xA0"
      "318\n";
  const model::Session session = session_of(new_launch() + new_table("GPU Speed Of Light Throughput", row));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::elapsed_cycles), 24605318);
}

TEST(NcuText, LetsALaterRowSettleTheDecimalSign) {
  const model::Session session = session_of(old_page(old_row("Elapsed Cycles", "cycle", "2.367") + old_row("Memory [%]", "%", "92,20")));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::elapsed_cycles), 2367);
}

TEST(NcuText, ReadsRawNamesLongerThanTheirColumn) {
  const std::string name = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct";
  const std::string padded = fmt::format("    {:<44} {:>12} {:>12}\n", name, "%", "25.00");
  const std::string page =
      new_launch() + "    Section: Command line profiler metrics\n" + std::string(new_rule) + padded + std::string(new_rule);
  EXPECT_EQ(mean(session_of(page), "axpy(int, float *)", metrics::global_load_bytes_per_sector_pct), 25);
}

TEST(NcuText, TakesTheSectionIntoAccount) {
  const model::Session session =
      session_of(new_launch() + new_table("GPU Speed Of Light Throughput", new_row("Memory Throughput", "%", "61.50")) +
                 new_table("Memory Workload Analysis", new_row("Memory Throughput", "Gbyte/second", "212.50")));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::memory_throughput_pct), 61.5);
  EXPECT_DOUBLE_EQ(*mean(session, "axpy(int, float *)", metrics::dram_bytes_per_second), 212.5e9);
}

TEST(NcuText, CountsTheInvocationsOfASummaryAndTakesItsAverage) {
  const model::Session session = session_of(
      "  Device 1, CC 9.0\n"
      "    axpy(int) (8, 8, 1)x(32, 1, 1), Invocations 10\n"
      "      Section: GPU Speed Of Light Throughput\n"
      "      ----------- ----------- ------- ------- -------\n"
      "      Metric Name Metric Unit Minimum Maximum Average\n"
      "      ----------- ----------- ------- ------- -------\n"
      "      Duration             us    1.00    4.00    2.50\n"
      "      ----------- ----------- ------- ------- -------\n");
  EXPECT_EQ(session.launches, 10u);
  EXPECT_DOUBLE_EQ(*sum(session, "axpy(int)", metrics::kernel_duration), 25e3);
  EXPECT_EQ(session.kernels[0].groups[0].device, 1);
  EXPECT_EQ(session.kernels[0].groups[0].cc, (model::ComputeCapability{9, 0}));
}

TEST(NcuText, KeepsAFailedLaunchWithoutReadings) {
  const model::Session session = session_of("==ERROR== LaunchFailed\n" + new_launch("axpy(int)", "(0, 0, 0)x(0, 0, 0)") +
                                            new_table("GPU Speed Of Light Throughput", new_row("Duration", "ns", "(!) nan")) +
                                            new_table("Launch Statistics", new_row("Static Shared Memory", "", "(!) n/a")));
  EXPECT_EQ(session.launches, 1u);
  EXPECT_EQ(session.timed_launches, 0u);
  EXPECT_EQ(session.absent_values, 2u);
  EXPECT_EQ(session.kernels[0].groups[0].grid, std::nullopt);
  EXPECT_TRUE(has_note(session, "a launch failed"));
  ASSERT_EQ(session.tool_messages.size(), 1u);
}

TEST(NcuText, ReadsARangeWithItsCountersAndWithoutAShape) {
  const model::Session session = session_of(new_launch("range", "(0, 0, 0)x(0, 0, 0)") +
                                            new_table("GPU Speed Of Light Throughput", new_row("Duration", "us", "7.50")) +
                                            new_table("Launch Statistics", new_row("Registers Per Thread", "register/thread", "0")));
  EXPECT_EQ(mean(session, "range", metrics::kernel_duration), 7500);
  EXPECT_EQ(mean(session, "range", metrics::registers_per_thread), std::nullopt);
  EXPECT_TRUE(has_note(session, "a result has counters and no threads"));
}

TEST(NcuText, CountsABlankValueAsAbsent) {
  const model::Session session = session_of(old_page(old_row("Duration", "msecond", "") + old_row("Memory [%]", "%", "12.50")));
  EXPECT_EQ(session.absent_values, 1u);
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::memory_throughput_pct), 12.5);
}

TEST(NcuText, SkipsOutputOfTheProgramInsideATable) {
  const model::Session session =
      session_of(old_page(old_row("Duration", "msecond", "4.16") + "step 12  loss  0.25\n==PROF== Profiling \"b\" - 1: 0%\n" +
                          old_row("Memory [%]", "%", "12.50")));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::memory_throughput_pct), 12.5);
  EXPECT_TRUE(has_note(session, "1 lines inside tables are not rows"));
  EXPECT_TRUE(session.unknown_metrics.empty());
}

TEST(NcuText, ReadsRulesWithTheirSpeedup) {
  const model::Session session = session_of(new_launch() + new_table("Launch Statistics", new_row("Grid Size", "", "4")) +
                                            "    OPT   Est. Speedup: 37.5%\n"
                                            "          The grid is too small to fill\n"
                                            "          the device.\n"
                                            "    ----- ----------------\n"
                                            "    WRN   Another matter.\n"
                                            "    OPT   Est. Local Speedup: 80%\n"
                                            "          A part of it.\n"
                                            "\n"
                                            "          no rule goes on here\n");
  ASSERT_EQ(session.rules.size(), 3u);
  EXPECT_FALSE(session.rules[0].is_local_estimate);
  EXPECT_EQ(session.rules[2].estimated_speedup_pct, 80);
  EXPECT_TRUE(session.rules[2].is_local_estimate);
  EXPECT_EQ(session.rules[0].type, "OPT");
  EXPECT_EQ(session.rules[0].kernel, "axpy(int, float *)");
  EXPECT_EQ(session.rules[0].section, "Launch Statistics");
  EXPECT_EQ(session.rules[0].estimated_speedup_pct, 37.5);
  EXPECT_EQ(session.rules[0].text, "The grid is too small to fill the device.");
  EXPECT_EQ(session.rules[1].text, "Another matter.");
  EXPECT_EQ(session.rules[1].estimated_speedup_pct, std::nullopt);
}

TEST(NcuText, BoundsTheTextOfARule) {
  std::string page = new_launch() + "    OPT   Begin.\n";
  for (int i = 0; i < 1000; ++i) page += "          a line that says nothing at all\n";
  EXPECT_LE(session_of(page).rules.at(0).text.size(), 4096u);
}

TEST(NcuText, RefusesProseThatMentionsAContext) {
  EXPECT_NE(refusal_of("  Each launch shows its Context 1, Stream 7 and more, see below.\n"
                       "  The words Context, Stream and Device, Context x, Stream y\n"),
            "");
}

TEST(NcuText, ReadsAfterTheOutputOfTheProgram) {
  const model::Session session = session_of("Rendering, please wait\n[x] 3\n==PROF== Connected to process 1 (/bin/a)\n" +
                                            old_page(old_row("Duration", "msecond", "4.16")));
  EXPECT_EQ(session.launches, 1u);
  EXPECT_EQ(session.format, "Nsight Compute text, details page");
}

}  // namespace
}  // namespace frx::ingest
