#include "report/ranks_analyst.h"

#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "report/rank_traces_testing.h"

namespace frx::report {
namespace {

using ::frx::testing::rank_trace;

std::string header(int rank, int world) { return ::frx::testing::rank_header(rank, world); }

class RanksOfRun : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<TraceAnalyst>> analyst = TraceAnalyst::create("");
    ASSERT_TRUE(analyst);
    analyst_ = std::move(*analyst);
  }

  void add(std::string name, std::string text) {
    texts_.push_back(std::make_unique<std::string>(std::move(text)));
    files_.push_back(
        trace_file(std::move(name), [bytes = texts_.back().get()]() -> Result<std::unique_ptr<ByteSource>> { return open_bytes(*bytes); }));
  }
  std::unique_ptr<RanksReport> report() {
    Result<std::unique_ptr<RanksReport>> report = analyse_ranks(*analyst_, "traces", files_);
    if (!report) ADD_FAILURE() << to_string(report.error());
    return report ? std::move(*report) : nullptr;
  }
  std::string refusal() {
    const Result<std::unique_ptr<RanksReport>> report = analyse_ranks(*analyst_, "traces", files_);
    return report ? "analysed" : to_string(report.error());
  }

  std::unique_ptr<TraceAnalyst> analyst_;
  std::vector<std::unique_ptr<std::string>> texts_;
  std::vector<TraceFile> files_;
};

TEST_F(RanksOfRun, TheLateOneIsNamedAndAnswersForTheRun) {
  for (int rank = 0; rank < 4; ++rank) add(fmt::format("{}.json", rank), rank_trace(rank == 2 ? 1200 : 0, 1200, header(rank, 4)));
  const auto run = report();
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->has_late_rank());
  EXPECT_EQ(run->lateness.late, (std::vector<std::size_t>{2}));
  EXPECT_EQ(run->answering, 2u);
  EXPECT_EQ(run->lateness.with_waiting, 16u);  // four steps, the first two are warm-up
  EXPECT_EQ(run->world_size, 4);
  EXPECT_TRUE(run->missing.empty());
  EXPECT_EQ(run->ranks[2].from, RankSource::distributed_info);
  // The others, alone, show communication; the run is as busy as its late rank.
  EXPECT_EQ(run->ranks[0].trace->scope().diagnosis.user_facing, "communication_bound");
  EXPECT_EQ(run->scope.diagnosis.user_facing, run->ranks[2].trace->scope().diagnosis.user_facing);
  EXPECT_NE(run->scope.diagnosis.user_facing, "communication_bound");
}

TEST_F(RanksOfRun, EqualOnesHaveNoLateRankAmongThem) {
  for (int rank = 0; rank < 4; ++rank) add(fmt::format("{}.json", rank), rank_trace(0, 0, header(rank, 4)));
  const auto run = report();
  ASSERT_TRUE(run);
  EXPECT_FALSE(run->has_late_rank());
  EXPECT_EQ(run->lateness.verdict, derive::ranks::LateVerdict::little_waiting);
  EXPECT_EQ(run->opinions.size(), 1u);
}

TEST_F(RanksOfRun, MissingOnesAreNamed) {
  for (const int rank : {1, 2, 5}) add(fmt::format("{}.json", rank), rank_trace(0, 0, header(rank, 8)));
  const auto run = report();
  ASSERT_TRUE(run);
  EXPECT_EQ(run->missing, (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 0}, {3, 4}, {6, 7}}));
}

TEST_F(RanksOfRun, NamesOfFilesTellWhereTracesDoNot) {
  add("worker1.json", rank_trace(0, 0));
  add("worker0.json", rank_trace(0, 0));
  const auto run = report();
  ASSERT_TRUE(run);
  EXPECT_EQ(run->ranks[0].trace->source, "worker0.json");
  EXPECT_EQ(run->ranks[0].from, RankSource::file_name);
  EXPECT_FALSE(run->world_size);
}

TEST_F(RanksOfRun, GpusTellWhereNamesDoNot) {
  add("a.json", rank_trace(0, 0, "", 1));
  add("b.json", rank_trace(0, 0, "", 0));
  const auto run = report();
  ASSERT_TRUE(run);
  EXPECT_EQ(run->ranks[0].trace->source, "b.json");
  EXPECT_EQ(run->ranks[0].from, RankSource::device);
}

TEST_F(RanksOfRun, OneAloneIsItsTrace) {
  add("a.json", rank_trace(0, 0, header(0, 8)));
  const auto run = report();
  ASSERT_TRUE(run);
  ASSERT_EQ(run->ranks.size(), 1u);
  EXPECT_NE(run->ranks[0].trace->notes.back().find("one rank of 8"), std::string::npos);
}

TEST_F(RanksOfRun, TwoRunsAreRefused) {
  add("a.json", rank_trace(0, 0, header(0, 2)));
  add("b.json", rank_trace(0, 0, header(0, 2)));
  EXPECT_NE(refusal().find("found rank 0 twice: a.json and b.json"), std::string::npos) << refusal();
}

TEST_F(RanksOfRun, WorldsOfTwoSizesAreRefused) {
  add("a.json", rank_trace(0, 0, header(0, 2)));
  add("b.json", rank_trace(0, 0, header(1, 8)));
  EXPECT_NE(refusal().find("worlds of 2 and of 8 ranks"), std::string::npos) << refusal();
}

TEST_F(RanksOfRun, TracesOfNobodyInParticularAreRefused) {
  add("a.json", rank_trace(0, 0));
  add("b.json", rank_trace(0, 0, header(1, 2)));
  EXPECT_NE(refusal().find("1 trace that names no rank: a.json"), std::string::npos) << refusal();
}

TEST_F(RanksOfRun, WhatIsNoTraceIsLeftOutAndSaid) {
  add("0.json", rank_trace(0, 0, header(0, 2)));
  add("1.json", rank_trace(0, 0, header(1, 2)));
  add("settings.json", R"({"batch": 8})");
  const auto run = report();
  ASSERT_TRUE(run);
  EXPECT_EQ(run->ranks.size(), 2u);
  ASSERT_FALSE(run->notes.empty());
  EXPECT_NE(run->notes[0].find("settings.json is left out"), std::string::npos) << run->notes[0];
}

TEST_F(RanksOfRun, OfSeveralRecordingsOfAProcessTheLastCounts) {
  for (const int rank : {0, 1}) {
    add(fmt::format("host_{}.1000.pt.trace.json", 70 + rank), rank_trace(0, 0, header(rank, 2)));
    add(fmt::format("host_{}.2000.pt.trace.json", 70 + rank), rank_trace(0, 0, header(rank, 2)));
  }
  const auto run = report();
  ASSERT_TRUE(run);
  ASSERT_EQ(run->ranks.size(), 2u);
  EXPECT_EQ(run->ranks[0].trace->source, "host_70.2000.pt.trace.json");
  EXPECT_NE(run->notes[0].find("2 earlier ones left out"), std::string::npos) << run->notes[0];
}

// A rank without collectives is of no group; that it does not say its time of day leaves the clocks of the others as they are.
TEST_F(RanksOfRun, ClocksAreComparedOnlyWhereEachRankSaysItsTimeOfDay) {
  for (int rank = 0; rank < 3; ++rank)
    add(fmt::format("{}.json", rank),
        rank_trace(0, 0, header(rank, 4) + fmt::format(R"("baseTimeNanoseconds": {},)", 1'000'000 * (rank + 1))));
  const auto three = report();
  ASSERT_TRUE(three);
  EXPECT_EQ(three->fleet.clocks.offset_ns, 1'000'000);
  std::string alone = rank_trace(0, 0, header(3, 4));
  for (std::size_t at = 0; (at = alone.find("ncclDevKernel", at)) != std::string::npos;) alone.replace(at, 4, "gone");
  add("3.json", alone);
  const auto four = report();
  ASSERT_TRUE(four);
  EXPECT_EQ(four->fleet.collectives, three->fleet.collectives);
  EXPECT_FALSE(four->fleet.clocks.offset_ns);
}

TEST_F(RanksOfRun, ARankThatLacksACollectiveIsSaidAndNotCompared) {
  std::string shorter = rank_trace(0, 0, header(1, 2));
  shorter.replace(shorter.rfind("ncclDevKernel"), 4, "gone");
  add("0.json", rank_trace(0, 0, header(0, 2)));
  add("1.json", shorter);
  const auto run = report();
  ASSERT_TRUE(run);
  ASSERT_EQ(run->matching.mismatches.size(), 1u);
  EXPECT_EQ(run->matching.mismatches[0].step, 5);
  EXPECT_EQ(run->matching.collectives.size(), 12u);  // of the three other steps
}

}  // namespace
}  // namespace frx::report
