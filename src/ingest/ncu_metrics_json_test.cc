// kdiag 2.2

#include <gmock/gmock.h>

#include "ingest/testing.h"

namespace frx::ingest {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::mean;
using testing::refusal_of;
using testing::session_of;

constexpr std::string_view two_kernels = R"json({"metrics": {
  "second_by_name(int, float*)": {"dram__bytes_read.sum": 4297126400, "dram__bytes.sum.per_second": 452185137204.1, "gpu__time_duration.sum": 9503.5,
                                  "sm__warps_active.avg.pct_of_peak_sustained_active": 6.25, "launch__registers_per_thread": "254"},
  "a": {"dram__bytes_read.sum": null, "lts__t_sector_hit_rate.pct": "n/a", "sm__cycles_active.avg": 1552288.26}},
 "metadata": {"ncu_version": "2025.2.1.0"}})json";

std::vector<std::string> notes_of(const model::Session& session) {
  std::vector<std::string> notes;
  for (const model::Note& note : session.notes) notes.push_back(note.text);
  return notes;
}

TEST(NcuMetricsJson, ReadsValuesInBaseUnits) {
  const model::Session session = session_of(two_kernels);
  EXPECT_EQ(session.format, "Nsight Compute counters in JSON");
  ASSERT_EQ(session.kernels.size(), 2u);
  EXPECT_EQ(session.kernels[0].name, "second_by_name(int, float*)");  // as the file has them
  constexpr std::string_view kernel = "second_by_name(int, float*)";
  EXPECT_EQ(mean(session, kernel, metrics::dram_bytes_read), 4297126400);
  EXPECT_EQ(mean(session, kernel, metrics::kernel_duration), 9503.5);
  EXPECT_EQ(mean(session, kernel, metrics::achieved_occupancy_pct), 6.25);
  EXPECT_EQ(mean(session, kernel, metrics::registers_per_thread), 254);
  EXPECT_THAT(notes_of(session), IsEmpty());
}

TEST(NcuMetricsJson, WhatIsNoNumberIsAbsent) {
  const model::Session session = session_of(two_kernels);
  EXPECT_EQ(mean(session, "a", metrics::dram_bytes_read), std::nullopt);
  EXPECT_EQ(mean(session, "a", metrics::l2_cache_hit_rate_pct), std::nullopt);
  EXPECT_EQ(mean(session, "a", metrics::sm_active_cycles), 1552288.26);
}

TEST(NcuMetricsJson, ReadsTheTableAlone) {
  const model::Session session = session_of(R"({"k": {"lts__t_sector_hit_rate.pct": 40, "not_a_counter": 3}})");
  EXPECT_EQ(mean(session, "k", metrics::l2_cache_hit_rate_pct), 40);
}

// A program that dropped the row of units of a CSV wrote 1.97 of megabytes as bytes.
TEST(NcuMetricsJson, UsesNoScaledValues) {
  const model::Session session = session_of(
      R"({"k": {"dram__bytes_read.sum": 1.97, "dram__bytes.sum.per_second": 452.1, "lts__t_sector_hit_rate.pct": 40, "sm__inst_executed.sum": 12}})");
  EXPECT_EQ(mean(session, "k", metrics::dram_bytes_read), std::nullopt);
  EXPECT_EQ(mean(session, "k", metrics::dram_bytes_per_second), std::nullopt);
  EXPECT_EQ(mean(session, "k", metrics::l2_cache_hit_rate_pct), 40);
  EXPECT_THAT(notes_of(session), Contains(HasSubstr("dram__bytes_read.sum is 1.97, which is no whole number")));
}

TEST(NcuMetricsJson, KeepsCountersWithoutADefinitionWhereAsked) {
  const std::unique_ptr<ByteSource> bytes = open_bytes(R"({"k": {"lts__t_sector_hit_rate.pct": 40, "made__up.sum": 17.5}})");
  const model::Session session = read_profile("profile", *bytes, testing::catalogue(), {}, Keep::every_counter).value();
  ASSERT_TRUE(session.others);
  ASSERT_EQ(session.others->counters.size(), 1u);
  EXPECT_EQ(session.others->counters[0].name, "made__up.sum");
  EXPECT_EQ(session.others->values.at({0, 0}).mean(), 17.5);
  EXPECT_FALSE(session_of(R"({"k": {"lts__t_sector_hit_rate.pct": 40, "made__up.sum": 17.5}})").others);
}

// The same of a table of CSV, with its unit and over the launches.
TEST(NcuMetricsJson, OtherFormatsKeepThemAsWell) {
  const std::unique_ptr<ByteSource> bytes = open_bytes(
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"0\",\"k\",\"made__up.sum\",\"widget\",\"10\"\n"
      "\"0\",\"k\",\"lts__t_sector_hit_rate.pct\",\"%\",\"40\"\n\"1\",\"k\",\"made__up.sum\",\"widget\",\"20\"\n");
  const model::Session session = read_profile("profile", *bytes, testing::catalogue(), {}, Keep::every_counter).value();
  ASSERT_EQ(session.others->counters.size(), 1u);
  EXPECT_EQ(session.others->counters[0].unit, "widget");
  EXPECT_EQ(session.others->values.at({0, 0}).mean(), 15);
}

TEST(NcuMetricsJson, SaysWhatIsWrong) {
  EXPECT_THAT(refusal_of("{\"k\": {\"lts__t_sector_hit_rate.pct\": 40,\n}}"),
              HasSubstr("profile:2: expected JSON, found a mistake in it or its end"));
  EXPECT_THAT(refusal_of(R"({"k": {"lts__t_sector_hit_rate.pct": 1e999}})"), HasSubstr("one beyond all"));
  std::string nested = R"({"k": {"lts__t_sector_hit_rate.pct": 40, "a": )";
  for (int i = 0; i < 100'000; ++i) nested += '[';
  EXPECT_THAT(refusal_of(nested), HasSubstr("profile:1: expected JSON"));
}

// JSON that only mentions counters, and profiles of operators, are something else.
TEST(NcuMetricsJson, TakesNothingElse) {
  EXPECT_THAT(refusal_of(R"({"counter": "dram__bytes_read.sum", "n": 3})"), HasSubstr("found JSON"));
  EXPECT_THAT(refusal_of(R"({"kernel": "k {", "dram__bytes_read.sum": 4})"), HasSubstr("found JSON"));
  EXPECT_THAT(refusal_of(R"({"schema_version": "1.0", "kernels": [{"dram__bytes_read.sum": 4}]})"), HasSubstr("found JSON"));
}

}  // namespace
}  // namespace frx::ingest
