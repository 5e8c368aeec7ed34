#include "frx_generated/metric_ids.h"
#include "ingest/testing.h"

namespace frx::ingest {
namespace {

using testing::has_note;
using testing::load_bytes;
using testing::mean;
using testing::refusal_of;
using testing::session_of;
using testing::spread;
using testing::sum;

constexpr std::string_view header =
    R"x("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value")x"
    "\n";

// One row of a tall file of kernel "axpy(int, float *)".
std::string row(int id, std::string_view metric, std::string_view unit, std::string_view value,
                std::string_view section = "Command line profiler metrics", std::string_view kernel = "axpy(int, float *)",
                std::string_view grid = "(64, 1, 1)") {
  return fmt::format("\"{}\",\"77\",\"app\",\"host\",\"{}\",\"1\",\"7\",\"(256, 1, 1)\",\"{}\",\"0\",\"8.6\",\"{}\",\"{}\",\"{}\",\"{}\"\n",
                     id, kernel, grid, section, metric, unit, value);
}

std::string duration(int id, std::string_view unit, std::string_view value, std::string_view kernel = "axpy(int, float *)") {
  return row(id, "gpu__time_duration.sum", unit, value, "Command line profiler metrics", kernel);
}

std::string utf16_of_ascii(std::string_view ascii) {
  std::string bytes = "\xFF\xFE";
  for (const char c : ascii) {
    bytes += c;
    bytes += '\0';
  }
  return bytes;
}

TEST(NcuCsv, ReadsEachRowInItsOwnUnit) {
  const model::Session session = session_of(std::string(header) + duration(0, "usecond", "900", "a(int)") +
                                            duration(1, "msecond", "1.20", "b(int)") + duration(2, "ns", "50,000", "c(int)"));
  EXPECT_EQ(mean(session, "a(int)", metrics::kernel_duration), 900e3);
  EXPECT_EQ(mean(session, "b(int)", metrics::kernel_duration), 1.2e6);
  EXPECT_EQ(mean(session, "c(int)", metrics::kernel_duration), 50e3);
}

TEST(NcuCsv, ReadsKilobytesPerBlockAsBytes) {
  const model::Session session = session_of(std::string(header) + row(0, "launch__shared_mem_per_block_dynamic", "Kbyte/block", "48.00"));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::shared_memory_dynamic), 48000);
}

TEST(NcuCsv, LeavesADurationWithoutAUnitAlone) {
  const model::Session session =
      session_of(std::string(header) + duration(0, "", "900") + row(0, "launch__registers_per_thread", "register/thread", "32"));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::kernel_duration), std::nullopt);
  EXPECT_TRUE(has_note(session, "has no unit"));
}

TEST(NcuCsv, RefusesAPercentageGivenInBytes) {
  const model::Session session =
      session_of(std::string(header) + row(0, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "byte/second", "212.5"));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::dram_throughput_pct), std::nullopt);
  EXPECT_TRUE(has_note(session, "where % is expected"));
}

TEST(NcuCsv, SumsTheDurationsOfTwentyLaunchesAndNotTheirSharedMemory) {
  std::string bytes(header);
  for (int id = 0; id < 20; ++id) {
    bytes += duration(id, "us", "100") + row(id, "launch__shared_mem_per_block_dynamic", "byte/block", "16,384") +
             row(id, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", id == 19 ? "5.0" : "90.0");
  }
  const model::Session session = session_of(bytes);
  EXPECT_EQ(session.launches, 20u);
  EXPECT_EQ(sum(session, "axpy(int, float *)", metrics::kernel_duration), 2e6);
  EXPECT_DOUBLE_EQ(*mean(session, "axpy(int, float *)", metrics::shared_memory_dynamic), 16384);
  EXPECT_DOUBLE_EQ(*mean(session, "axpy(int, float *)", metrics::dram_throughput_pct), 85.75);
}

TEST(NcuCsv, WeighsTheMeanByTheDurationOfTheLaunches) {
  const model::Session session =
      session_of(std::string(header) + duration(0, "us", "300") + row(0, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", "80") +
                 duration(1, "us", "100") + row(1, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", "40"));
  EXPECT_DOUBLE_EQ(*mean(session, "axpy(int, float *)", metrics::dram_throughput_pct), 70);
}

TEST(NcuCsv, KeepsLaunchesOfDifferentGridsApart) {
  const std::string_view section = "Command line profiler metrics";
  const model::Session session =
      session_of(std::string(header) + row(0, "gpu__time_duration.sum", "us", "10", section, "axpy(int, float *)", "(64, 1, 1)") +
                 row(1, "gpu__time_duration.sum", "us", "30", section, "axpy(int, float *)", "(128, 1, 1)"));
  ASSERT_EQ(session.kernels.size(), 1u);
  ASSERT_EQ(session.kernels[0].groups.size(), 2u);
  EXPECT_EQ(session.kernels[0].groups[1].grid, (model::Dim3{128, 1, 1}));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::kernel_duration, 1), 30e3);
}

TEST(NcuCsv, TakesRowsOfOneLaunchInAnyOrder) {
  const model::Session session = session_of(std::string(header) + duration(0, "us", "10") + duration(1, "us", "20") +
                                            row(0, "launch__registers_per_thread", "register/thread", "32") +
                                            row(1, "launch__registers_per_thread", "register/thread", "32"));
  EXPECT_EQ(session.launches, 2u);
  EXPECT_EQ(sum(session, "axpy(int, float *)", metrics::kernel_duration), 30e3);
}

TEST(NcuCsv, AcceptsMetricRowsShorterThanTheirHeader) {
  std::string with_rules(header);
  with_rules.insert(with_rules.size() - 1, R"(,"Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup")");
  std::string short_row = duration(0, "us", "7.5");
  short_row.insert(short_row.size() - 1, ",");
  const std::string rule =
      R"x("0","77","app","host","axpy(int, float *)","1","7","(256, 1, 1)","(64, 1, 1)","0","8.6","SpeedOfLight","","","","Bottleneck","OPT","It is ""slow"".","global","12.5")x"
      "\n";
  const model::Session session = session_of(with_rules + short_row + rule);
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::kernel_duration), 7500);
  ASSERT_EQ(session.rules.size(), 1u);
  EXPECT_EQ(session.rules[0].text, "It is \"slow\".");
  EXPECT_EQ(session.rules[0].estimated_speedup_pct, 12.5);
  EXPECT_FALSE(session.rules[0].is_local_estimate);
}

TEST(NcuCsv, TellsTheTwoMemoryThroughputsApartByTheirSection) {
  const model::Session session =
      session_of(std::string(header) + row(0, "Memory Throughput", "%", "61.5", "GPU Speed Of Light Throughput") +
                 row(0, "Memory Throughput", "Gbyte/second", "212.5", "Memory Workload Analysis"));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::memory_throughput_pct), 61.5);
  EXPECT_DOUBLE_EQ(*mean(session, "axpy(int, float *)", metrics::dram_bytes_per_second), 212.5e9);
}

TEST(NcuCsv, ReadsAWideFileWithItsRowOfUnits) {
  const model::Session session = session_of(
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"dram__bytes.sum\",\"gpu__time_duration.sum\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"us\"\n"
      "\"0\",\"first(int)\",\"(32, 1, 1)\",\"(4, 1, 1)\",\"0\",\"9.0\",\"1.5\",\"20\"\n"
      "\"1\",\"second(int)\",\"(32, 1, 1)\",\"(4, 1, 1)\",\"0\",\"9.0\",\"2.5\",\"40\"\n");
  EXPECT_EQ(session.launches, 2u);
  EXPECT_EQ(mean(session, "first(int)", metrics::kernel_duration), 20e3);
  EXPECT_DOUBLE_EQ(*mean(session, "second(int)", metrics::dram_bytes), 2.5e6);
}

TEST(NcuCsv, KeepsTheFirstKernelOfAWideFileWithoutARowOfUnits) {
  const model::Session session = session_of(
      "\"ID\",\"Kernel Name\",\"launch__registers_per_thread\",\"gpu__time_duration.sum\"\n"
      "\"0\",\"first(int)\",\"40\",\"20\"\n"
      "\"1\",\"second(int)\",\"50\",\"40\"\n");
  EXPECT_EQ(session.launches, 2u);
  EXPECT_EQ(mean(session, "first(int)", metrics::registers_per_thread), 40);
  // The unit of 20 is unknown: it is never guessed to be a duration.
  EXPECT_EQ(mean(session, "first(int)", metrics::kernel_duration), std::nullopt);
}

TEST(NcuCsv, SumsTheLaunchesOfAWideFile) {
  std::string bytes = "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"us\"\n";
  for (int id = 0; id < 20; ++id) bytes += fmt::format("\"{}\",\"axpy(int)\",\"100\"\n", id);
  EXPECT_EQ(sum(session_of(bytes), "axpy(int)", metrics::kernel_duration), 2e6);
}

TEST(NcuCsv, CountsTheInvocationsOfASummary) {
  const model::Session session = session_of(
      "\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Invocations\",\"Section Name\",\"Metric Name\","
      "\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n"
      "\"5\",\"axpy(int)\",\"(256, 1, 1)\",\"(8, 1, 1)\",\"0\",\"8.6\",\"14\",\"GPU Speed Of Light Throughput\",\"Duration\",\"us\","
      "\"1.0\",\"3.0\",\"2.0\"\n");
  EXPECT_EQ(session.launches, 14u);
  EXPECT_DOUBLE_EQ(*sum(session, "axpy(int)", metrics::kernel_duration), 28e3);
}

TEST(NcuCsv, ReadsThroughAByteOrderMarkAndCarriageReturns) {
  std::string bytes = "\xEF\xBB\xBF" + std::string(header) + duration(0, "us", "12.5");
  for (std::size_t at = 0; (at = bytes.find('\n', at)) != bytes.npos; at += 2) bytes.replace(at, 1, "\r\n");
  EXPECT_EQ(mean(session_of(bytes), "axpy(int, float *)", metrics::kernel_duration), 12500);
}

TEST(NcuCsv, ReadsUtf16AsPowerShellWritesIt) {
  const std::string bytes = utf16_of_ascii(std::string(header) + duration(0, "us", "12.5"));
  EXPECT_EQ(mean(session_of(bytes), "axpy(int, float *)", metrics::kernel_duration), 12500);
}

TEST(NcuCsv, ReadsADecimalComma) {
  const model::Session session = session_of(std::string(header) + duration(0, "us", "1.234,50") +
                                            row(0, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", "9,00"));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::kernel_duration), 1234500);
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::dram_throughput_pct), 9);
}

TEST(NcuCsv, LetsALaterRowSettleTheDecimalSignOfAnEarlierOne) {
  const model::Session session = session_of(std::string(header) + duration(0, "ns", "1.500") + duration(1, "us", "2,25"));
  EXPECT_EQ(sum(session, "axpy(int, float *)", metrics::kernel_duration), 1500 + 2250);
}

TEST(NcuCsv, RefusesAFileWithBothDecimalSigns) {
  const std::string refusal = refusal_of(std::string(header) + duration(0, "us", "1,234.5") + duration(1, "us", "1.234,5"));
  EXPECT_NE(refusal.find("profile:3: numbers in two conventions: '1.234,5'"), refusal.npos) << refusal;
}

TEST(NcuCsv, SkipsQuotedLinesOfTheProgram) {
  const model::Session session =
      session_of("\"loss\": 0.5\n" + std::string(header) + duration(0, "us", "10") + "\"loss\": 0.25\n" + duration(1, "us", "30"));
  EXPECT_EQ(sum(session, "axpy(int, float *)", metrics::kernel_duration), 40e3);
  EXPECT_TRUE(has_note(session, "1 lines are not rows"));
}

TEST(NcuCsv, LosesNoRowToAStrayQuote) {
  const model::Session session =
      session_of(std::string(header) + duration(0, "us", "10") + "\"epoch 1 done\n" + duration(1, "us", "30") + duration(2, "us", "2"));
  EXPECT_EQ(session.launches, 3u);
  EXPECT_EQ(sum(session, "axpy(int, float *)", metrics::kernel_duration), 42e3);
}

TEST(NcuCsv, SkipsTheProgressOfTheTool) {
  const model::Session session = session_of("==PROF== Connected to process 77 (/bin/app)\n" + std::string(header) +
                                            duration(0, "us", "10") + "==PROF== Disconnected from process 77\n");
  EXPECT_EQ(session.launches, 1u);
  EXPECT_TRUE(session.notes.empty());
}

TEST(NcuCsv, FindsARowBehindOutputWithoutALineBreak) {
  const model::Session session =
      session_of(std::string(header) + duration(0, "us", "10") + "done." + row(0, "launch__registers_per_thread", "register/thread", "32"));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::registers_per_thread), 32);
}

TEST(NcuCsv, TreatsNanAndNotAvailableAsAbsent) {
  const model::Session session = session_of(std::string(header) + duration(0, "us", "nan") + duration(1, "us", "n/a") +
                                            duration(2, "us", "inf") + duration(3, "us", "5"));
  EXPECT_EQ(session.launches, 4u);
  EXPECT_EQ(session.timed_launches, 1u);
  EXPECT_EQ(session.absent_values, 3u);
  EXPECT_EQ(sum(session, "axpy(int, float *)", metrics::kernel_duration), 5e3);
}

TEST(NcuCsv, RefusesAnImpossiblePercentage) {
  const model::Session session =
      session_of(std::string(header) + row(0, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", "640.00"));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::dram_throughput_pct), std::nullopt);
  EXPECT_TRUE(has_note(session, "more than 100"));
}

TEST(NcuCsv, StartsAgainAtASecondHeader) {
  const std::string run = std::string(header) + duration(0, "us", "10");
  const model::Session session = session_of(run + run);
  EXPECT_EQ(session.launches, 2u);
  EXPECT_EQ(sum(session, "axpy(int, float *)", metrics::kernel_duration), 20e3);
}

TEST(NcuCsv, StartsAgainWhileRowsStillWaitForTheDecimalSign) {
  // "1,234" may be a thousand or a bit more than one: the rows wait until a later one decides.
  const std::string run = std::string(header) + duration(0, "us", "1,234");
  const model::Session session = session_of(run + run + run);
  EXPECT_EQ(session.launches, 3u);
  EXPECT_EQ(sum(session, "axpy(int, float *)", metrics::kernel_duration), 3 * 1234e3);
}

TEST(NcuCsv, GivesARepeatedMetricWithoutIdsToTheNextLaunch) {
  const model::Session session = session_of(
      "\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"axpy\",\"gpu__time_duration.sum\",\"us\",\"10\"\n"
      "\"axpy\",\"launch__registers_per_thread\",\"register/thread\",\"32\"\n"
      "\"axpy\",\"gpu__time_duration.sum\",\"us\",\"30\"\n");
  EXPECT_EQ(session.launches, 2u);
  EXPECT_EQ(sum(session, "axpy", metrics::kernel_duration), 40e3);
}

TEST(NcuCsv, RemembersTheLineOfTheLongestLaunch) {
  const model::Session session =
      session_of(std::string(header) + duration(0, "us", "10") + duration(1, "us", "90") + duration(2, "us", "20"));
  EXPECT_EQ(spread(session, "axpy(int, float *)", metrics::kernel_duration)->line, 3u);
}

TEST(NcuCsv, ListsTheNamesItDoesNotKnow) {
  const model::Session session = session_of(std::string(header) + duration(0, "us", "10") + row(0, "chip__magic.sum", "", "5"));
  EXPECT_TRUE(session.unknown_metrics.contains("chip__magic.sum"));
}

TEST(NcuCsv, ReadsOldUnitWordsForCounts) {
  const model::Session session =
      session_of(std::string(header) + row(0, "Theoretical Active Warps per SM", "warp/cycle", "48", "Occupancy"));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::theoretical_active_warps), 48);
}

// Rows of a result without threads: a launch that failed, or a range.
std::string row_without_threads(std::string_view metric, std::string_view unit, std::string_view value) {
  return fmt::format(
      "\"0\",\"77\",\"app\",\"host\",\"range\",\"1\",\"7\",\"(0, 0, 0)\",\"(0, 0, 0)\",\"0\",\"8.6\",\"\",\"{}\",\"{}\",\"{}\"\n", metric,
      unit, value);
}

// A report with such a block has no threads either, so that a report and the CSV that is made of it say the same.
TEST(NcuCsv, ABlockBeyondAnyNumberIsOneWithoutThreads) {
  for (const char* block : {"(4294967296, 1, 1)", "(9223372036854775807, 1, 1)", "(256, 18446744073709551616, 1)"}) {
    std::string rows = row_without_threads("gpu__time_duration.sum", "us", "5") +
                       row_without_threads("launch__registers_per_thread", "register/thread", "32");
    for (std::size_t at = 0; (at = rows.find("\"7\",\"(0, 0, 0)\"", at)) != rows.npos; ++at) rows.replace(at + 5, 9, block);
    const model::Session session = session_of(std::string(header) + rows);
    EXPECT_EQ(mean(session, "range", metrics::kernel_duration), 5000) << block;
    EXPECT_EQ(mean(session, "range", metrics::registers_per_thread), std::nullopt) << block;
  }
}

TEST(NcuCsv, ReadsARangeWithItsCountersAndWithoutAShape) {
  const model::Session session = session_of(std::string(header) + row_without_threads("gpu__time_duration.sum", "us", "5") +
                                            row_without_threads("launch__registers_per_thread", "register/thread", "0") +
                                            row_without_threads("launch__block_size", "", "0"));
  EXPECT_EQ(mean(session, "range", metrics::kernel_duration), 5000);
  EXPECT_EQ(mean(session, "range", metrics::registers_per_thread), std::nullopt);
  EXPECT_EQ(session.kernels[0].groups[0].block, std::nullopt);
  EXPECT_TRUE(has_note(session, "a result has counters and no threads"));
}

TEST(NcuCsv, SaysOfALaunchWithoutThreadsAndCountersThatItFailed) {
  const model::Session session = session_of(std::string(header) + row_without_threads("gpu__time_duration.sum", "us", "nan") +
                                            row_without_threads("launch__registers_per_thread", "register/thread", "0") +
                                            row_without_threads("device__attribute_warp_size", "", "32"));
  EXPECT_EQ(session.launches, 1u);
  EXPECT_EQ(session.timed_launches, 0u);
  EXPECT_EQ(mean(session, "range", metrics::registers_per_thread), std::nullopt);
  EXPECT_TRUE(has_note(session, "a launch failed"));
}

TEST(NcuCsv, SaysOfALaunchOfNanThatNothingCouldBeCollected) {
  const model::Session session = session_of(std::string(header) + duration(0, "us", "nan") +
                                            row(0, "launch__registers_per_thread", "register/thread", "32") + duration(1, "us", "5"));
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::registers_per_thread), 32);
  EXPECT_TRUE(has_note(session, "no counter of a launch could be collected"));
}

TEST(NcuCsv, RefusesATableWithoutRows) {
  EXPECT_NE(refusal_of(header).find("expected kernel launches after the header, found none"), std::string::npos);
}

TEST(NcuCsv, QuotesTheToolWhenTheRunFailed) {
  const std::string refusal = refusal_of("==PROF== Connected to process 77\n==ERROR== The application returned an error code (3).\n");
  EXPECT_NE(refusal.find("Nsight Compute said 'The application returned an error code (3).'"), refusal.npos) << refusal;
}

}  // namespace
}  // namespace frx::ingest
