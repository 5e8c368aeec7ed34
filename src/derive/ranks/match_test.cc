#include "derive/ranks/match.h"

#include <gtest/gtest.h>

#include "derive/ranks/testing.h"

namespace frx::derive::ranks {
namespace {

using ::frx::testing::MadeRanks;

TEST(MatchRanks, PairsTheNthCallOfAGroupInAStep) {
  MadeRanks ranks(2);
  for (const std::int64_t step : {4, 5}) {
    ranks.collective(step, {0, 300});
    ranks.collective(step, {100, 0});
  }
  const Matching matching = ranks.match();
  ASSERT_EQ(matching.collectives.size(), 4u);
  EXPECT_EQ(matching.together, 4u);
  EXPECT_EQ(matching.collectives[3].step, 5);
  EXPECT_EQ(matching.collectives[3].nth, 2u);
  EXPECT_EQ(matching.durations_of(matching.collectives[0])[0], 350'000);
  EXPECT_EQ(matching.durations_of(matching.collectives[0])[1], 50'000);
  EXPECT_TRUE(matching.mismatches.empty());
}

TEST(MatchRanks, SaysWhereARankLacksACollectiveAndComparesNothingOfThatStep) {
  MadeRanks ranks(2);
  ranks.collective(1, {0, 0});
  ranks.collective(2, {0, 0}, "allreduce of 8 Float");
  ranks.call(0, 2, "broadcast of 1 Long", 1000, ranks.now_ns() + 5000);
  ranks.collective(2, {0, 0}, "allreduce of 9 Float");
  const Matching matching = ranks.match();
  EXPECT_EQ(matching.collectives.size(), 1u);
  ASSERT_EQ(matching.mismatches.size(), 1u);
  const Mismatch& one = matching.mismatches[0];
  EXPECT_EQ(one.step, 2);
  EXPECT_EQ(one.calls_a, 3u);
  EXPECT_EQ(one.calls_b, 2u);
  EXPECT_EQ(one.nth, 2u);
  EXPECT_EQ(one.what_a, "broadcast of 1 Long");
  EXPECT_EQ(one.what_b, "allreduce of 9 Float");
}

TEST(MatchRanks, SaysWhatIsMissingBehindTheEndOfASequence) {
  MadeRanks ranks(2);
  ranks.collective(1, {0, 0});
  ranks.call(0, 1, "barrier", 1000, ranks.now_ns() + 5000);
  const Matching matching = ranks.match();
  ASSERT_EQ(matching.mismatches.size(), 1u);
  EXPECT_EQ(matching.mismatches[0].what_a, "barrier");
  EXPECT_EQ(matching.mismatches[0].what_b, "");
}

TEST(MatchRanks, ComparesOnlyStepsThatAllRanksHave) {
  MadeRanks ranks(2);
  for (const std::int64_t step : {1, 2, 3}) ranks.collective(step, {0, 0});
  std::vector<Participant> participants = ranks.participants();
  participants[1].steps = {2, 3, 4};
  const Matching matching = match(participants, ranks.words);
  EXPECT_EQ(matching.steps, 2u);
  EXPECT_EQ(matching.steps_left_out, 2u);
  EXPECT_EQ(matching.collectives.size(), 2u);
  EXPECT_TRUE(matching.mismatches.empty());
}

TEST(MatchRanks, KeepsGroupsApart) {
  MadeRanks ranks(4);
  // Tensor-parallel pairs; both pairs do the same at different times.
  for (const std::size_t rank : {0, 1}) ranks.call(rank, 1, "allreduce of 8 Half", 50'000, 1'000'000, "group 1 [0, 1]");
  for (const std::size_t rank : {2, 3}) ranks.call(rank, 1, "allreduce of 8 Half", 50'000, 9'000'000, "group 2 [2, 3]");
  const Matching matching = ranks.match();
  ASSERT_EQ(matching.members.size(), 2u);
  EXPECT_EQ(matching.members[0], (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(matching.members[1], (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(matching.together, 2u);
}

TEST(MatchRanks, CountsCallsOfGroupsThatOnlyOneRankIsHereOf) {
  MadeRanks ranks(2);
  ranks.call(0, 1, "allreduce of 8 Half", 50'000, 1'000'000, "group 1 [0, 8]");
  ranks.call(1, 1, "allreduce of 8 Half", 50'000, 1'000'000, "group 2 [1, 9]");
  const Matching matching = ranks.match();
  EXPECT_TRUE(matching.collectives.empty());
  EXPECT_EQ(matching.alone, 2u);
}

TEST(MatchRanks, ABroadcastWhoseRootLeavesEarlyDidNotEndTogether) {
  MadeRanks ranks(2);
  for (std::int64_t i = 0; i < 12; ++i) ranks.collective(1, {0, 300});
  const std::int64_t now = ranks.now_ns() + 1'000'000;
  ranks.call(0, 1, "broadcast of 8 Float", 20'000, now);
  ranks.call(1, 1, "broadcast of 8 Float", 25'000, now + 40'000'000);
  const Matching matching = ranks.match();
  ASSERT_EQ(matching.collectives.size(), 13u);
  EXPECT_EQ(matching.together, 12u);
  EXPECT_FALSE(matching.collectives.back().together);
  EXPECT_EQ(matching.collectives.back().apart, 40'000'000);
}

TEST(MatchRanks, ClocksThatDriftDoNotPartWhatEndsTogether) {
  MadeRanks ranks(2);
  for (std::int64_t i = 0; i < 200; ++i) {
    const std::int64_t end = i * 100'000'000;  // 20 s in all
    ranks.call(0, 1, "allreduce of 8 Float", 50'000, end);
    ranks.call(1, 1, "allreduce of 8 Float", 50'000, end + end / 20'000);  // 50 us per second, 1 ms at the end
  }
  EXPECT_EQ(ranks.match().together, 200u);
}

TEST(MatchRanks, SequencesThatOnlyLookAlikeDoNotEndTogether) {
  MadeRanks ranks(2);
  std::uint64_t random = 7;
  const auto next = [&] { return static_cast<std::int64_t>((random = random * 6364136223846793005u + 1442695040888963407u) >> 40); };
  std::int64_t a = 0, b = 0;
  for (int i = 0; i < 50; ++i) {
    ranks.call(0, 1, "all_to_all", 500'000, a += next());
    ranks.call(1, 1, "all_to_all", 500'000, b += next());
  }
  const Matching matching = ranks.match();
  EXPECT_EQ(matching.collectives.size(), 50u);
  EXPECT_LT(matching.together, 25u);
}

TEST(MatchRanks, TimesOfADamagedFileAreJustNotTogether) {
  MadeRanks ranks(2);
  for (const std::int64_t end : {INT64_MAX - 5'000'000'000, std::int64_t{0}, INT64_MIN + 5'000'000'000}) {
    ranks.call(0, 1, "allreduce", 0, 0);
    ranks.call(1, 1, "allreduce", 0, end);
  }
  EXPECT_EQ(ranks.match().collectives.size(), 3u);
}

}  // namespace
}  // namespace frx::derive::ranks
