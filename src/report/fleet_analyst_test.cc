#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/fleet_report.h"
#include "report/rank_recording.h"
#include "report/rank_traces_testing.h"

namespace frx::report {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Four equal ranks; tests change what their summaries say.
class Fleets : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<TraceAnalyst>> analyst = TraceAnalyst::create("");
    ASSERT_TRUE(analyst);
    analyst_ = std::move(*analyst);
    for (int rank = 0; rank < 4; ++rank) {
      Interner words;
      const std::string text = ::frx::testing::rank_trace(0, 0, ::frx::testing::rank_header(rank, 4));
      const std::vector<RankRecording> recordings = analyst_->analyse_ranks(::frx::testing::trace_of(text), words);
      ranks_.push_back(summary_of(recordings.front(), words, ""));
      ranks_.back().head.trace = fmt::format("{}.json", rank);
      ranks_.back().head.base_time_ns = 1'000'000 * (rank + 1);
    }
  }

  Result<std::shared_ptr<FleetReport>> analysed() {
    bytes_ = ingest::rank_summary::packed(ranks_);
    auto file = ingest::rank_summary::SummaryFile::open("ranks.frxsum", ingest::random_access_to(bytes_));
    if (!file) return Failure{file.error()};
    const auto kept = std::make_shared<const ingest::rank_summary::SummaryFile>(std::move(*file));
    std::vector<FleetEntry> entries;
    for (std::size_t i = 0; i < ranks_.size(); ++i) entries.push_back({kept, i});
    return analyse_fleet(*analyst_, "fleet", entries, {});
  }
  std::shared_ptr<FleetReport> report() {
    const auto report = analysed();
    if (!report) ADD_FAILURE() << to_string(report.error());
    return report ? *report : nullptr;
  }
  std::string refusal() {
    const auto report = analysed();
    return report ? "analysed" : to_string(report.error());
  }

  std::unique_ptr<TraceAnalyst> analyst_;
  std::vector<model::RankSummary> ranks_;
  std::string bytes_;
};

TEST_F(Fleets, ClocksAreComparedWhereEachRankSaysItsTimeOfDay) {
  const auto fleet = report();
  ASSERT_TRUE(fleet);
  EXPECT_EQ(fleet->fleet.clocks.offset_ns, 2'000'000);
}

// A rank without collectives is of no group; its clock is not compared, and neither are those of the others.
TEST_F(Fleets, ARankWithoutATimeOfDayLeavesAllClocksAsTheyAre) {
  ranks_[3].calls.clear();
  ranks_[3].head.base_time_ns = 0;
  const auto fleet = report();
  ASSERT_TRUE(fleet);
  EXPECT_GT(fleet->fleet.collectives, 0u);
  EXPECT_FALSE(fleet->fleet.clocks.offset_ns);
}

TEST_F(Fleets, TheLargestNumberIsNoRank) {
  ranks_[3].head.rank = INT64_MAX;
  EXPECT_THAT(refusal(), StartsWith("fleet: expected ranks from 0 on, found 9223372036854775807"));
}

TEST_F(Fleets, ARankBeyondItsWorldIsSaid) {
  ranks_[3].head.rank = 5;
  const auto fleet = report();
  ASSERT_TRUE(fleet);
  EXPECT_THAT(fleet->notes, Contains("rank 5 is beyond the 4 ranks of its world"));
  EXPECT_EQ(fleet->world_size, 4);
  EXPECT_EQ(fleet->missing, (std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 4}}));
}

TEST_F(Fleets, RanksOfTwoRunsAreRefusedWithTheirPlace) {
  ranks_[3].head.rank = 2;
  EXPECT_THAT(refusal(), AllOf(StartsWith("fleet: expected the ranks of one run, found rank 2 twice: 2.json and 3.json"),
                               HasSubstr("name the summaries that belong together")));
  ranks_[3].head.rank = 3;
  ranks_[3].head.world_size = 8;
  EXPECT_THAT(refusal(), HasSubstr("found worlds of 4 and of 8 ranks: 2.json and 3.json"));
}

}  // namespace
}  // namespace frx::report
