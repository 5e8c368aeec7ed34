#include "ingest/rank_summary/summary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingest/rank_summary/layout.h"

namespace frx::ingest::rank_summary {
namespace {

using ::testing::HasSubstr;

// `steps` steps of `calls` collectives each.
model::RankSummary made_summary(std::int64_t rank, int steps = 3, int calls = 4) {
  model::RankSummary summary;
  summary.head.trace = fmt::format("trace.rank{}.json", rank);
  summary.head.node = "node7";
  summary.head.rank = rank;
  summary.head.world_size = 8;
  summary.head.step_time_ns = 1.5e6;
  summary.words = {"allreduce of 8 Float", "group 0 [0, 1]", "send of 8 Float"};
  summary.shapes = {{0, "allreduce", "Float", 8, 8, 32}};
  summary.recording = "any bytes";
  for (int step = 0; step < steps; ++step) {
    summary.head.steps.push_back(step);
    for (int i = 0; i < calls; ++i)
      summary.calls.push_back(
          {i == 0 ? 2u : 0u, i == 0 ? model::RankCall::no_group : 1u, step, step * 1'000'000 + i * 1000 - 7, 300 + i, 17});
  }
  return summary;
}

Result<model::RankSummary> read_back(const std::string& bytes, std::size_t rank = 0) {
  TRY_ASSIGN(const SummaryFile file, SummaryFile::open("a.frxsum", random_access_to(bytes)));
  return file.whole(rank);
}

std::string refusal_of(const std::string& bytes) {
  const Result<model::RankSummary> read = read_back(bytes);
  return read ? "read" : to_string(read.error());
}

TEST(RankSummaryFile, WhatIsWrittenIsRead) {
  const std::vector<model::RankSummary> ranks = {made_summary(1), made_summary(0, 40, 100)};
  const std::string bytes = packed(ranks);
  EXPECT_EQ(*read_back(bytes, 0), ranks[1]);
  EXPECT_EQ(*read_back(bytes, 1), ranks[0]);
}

TEST(RankSummaryFile, CallsLieInBlocksOfWholeSteps) {
  const std::string bytes = packed(std::vector{made_summary(0, 40, 100)});
  const SummaryFile file = *SummaryFile::open("a.frxsum", random_access_to(bytes));
  const auto blocks = file.blocks(0);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocks->size(), 8u);  // five steps of 100 each
  EXPECT_EQ((*blocks)[1].first_step, 5);
  EXPECT_EQ((*blocks)[1].last_step, 9);
  EXPECT_EQ(file.calls((*blocks)[1], 3)->size(), 500u);
}

TEST(RankSummaryFile, AStepLargerThanABlockIsOne) {
  const std::string bytes = packed(std::vector{made_summary(0, 2, 2000)});
  EXPECT_EQ(SummaryFile::open("a.frxsum", random_access_to(bytes))->blocks(0)->size(), 2u);
  EXPECT_EQ(read_back(bytes)->calls.size(), 4000u);
}

TEST(RankSummaryFile, TakesAFewBytesACollective) {
  const std::string few = packed(std::vector{made_summary(0, 10, 50)}), many = packed(std::vector{made_summary(0, 210, 50)});
  EXPECT_LT(static_cast<double>(many.size() - few.size()) / (200 * 50), 4);
}

TEST(RankSummaryFile, OneThatEndsEarlyIsRefusedWhereverItEnds) {
  const std::string bytes = packed(std::vector{made_summary(0)});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string said = refusal_of(bytes.substr(0, size));
    EXPECT_THAT(said, HasSubstr("a.frxsum: ")) << size;
    if (size >= magic.size()) EXPECT_THAT(said, HasSubstr("it ends early")) << size;
  }
}

TEST(RankSummaryFile, AByteThatChangedIsFoundWhereverItIs) {
  const model::RankSummary rank = made_summary(0);
  const std::string bytes = packed(std::vector{rank});
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_NE(refusal_of(changed), "read") << at;
  }
}

TEST(RankSummaryFile, ANewerVersionIsRefusedWithWhatToDo) {
  std::string bytes = packed(std::vector{made_summary(0)});
  bytes[magic.size()] = 9;
  EXPECT_EQ(refusal_of(bytes), "a.frxsum: the rank summary has version 9, and this frx reads version 1\n  hint: read it with a newer frx");
}

TEST(RankSummaryFile, AnotherFileIsRefused) { EXPECT_EQ(refusal_of("{}"), "a.frxsum: expected a rank summary of frx"); }

TEST(RankSummaryFile, MergingIsAssociativeAndKeepsEachRankOnce) {
  const std::string a = packed(std::vector{made_summary(2)}), b = packed(std::vector{made_summary(0)}),
                    c = packed(std::vector{made_summary(1)});
  const auto open = [](const std::string& bytes) { return *SummaryFile::open("f", random_access_to(bytes)); };
  const std::string ab = *merged(std::vector{open(a), open(b)}), bc = *merged(std::vector{open(b), open(c)});
  EXPECT_EQ(*merged(std::vector{open(ab), open(c)}), *merged(std::vector{open(a), open(bc)}));
  EXPECT_EQ(*merged(std::vector{open(ab), open(bc)}), packed(std::vector{made_summary(0), made_summary(1), made_summary(2)}));
}

}  // namespace
}  // namespace frx::ingest::rank_summary
