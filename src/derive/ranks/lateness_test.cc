#include "derive/ranks/lateness.h"

#include <gtest/gtest.h>

#include <random>

#include "derive/ranks/testing.h"

namespace frx::derive::ranks {
namespace {

using ::frx::testing::MadeRanks;
using model::RunFact;

// Steps of 10 ms in which communication is not hidden.
Lateness judged(const MadeRanks& ranks, double steps = 1) {
  const std::vector<RankTimes> times(ranks.participants().size(), {steps * 1e7, 1});
  return lateness_of(ranks.match(), times);
}

TEST(WaitingShares, ALonelyLateRankHasAllOfIt) {
  const std::int64_t durations[] = {900, 900, 100};
  const WaitingShares shares = share_waiting(durations);
  EXPECT_EQ(shares.waited, (std::vector<double>{800, 800, 0}));
  EXPECT_EQ(shares.attributed, (std::vector<double>{0, 0, 800}));  // the others waited 800 in the mean
}

TEST(WaitingShares, RanksThatComeLateTogetherShareIt) {
  const std::int64_t durations[] = {100, 900, 100};
  const WaitingShares shares = share_waiting(durations);
  EXPECT_EQ(shares.attributed, (std::vector<double>{200, 0, 200}));  // 800 waited by one, halved twice: two others, two late ones
}

TEST(WaitingShares, AddsUpToTheWaiting) {
  const std::int64_t durations[] = {40, 700, 100, 350, 351};
  const WaitingShares shares = share_waiting(durations);
  double waited = 0, attributed = 0;
  for (const double one : shares.waited) waited += one;
  for (const double one : shares.attributed) attributed += one;
  EXPECT_NEAR(attributed * 4, waited, 1e-9);
}

TEST(WaitingMatrix, SaysWhoWaitedForWhom) {
  MadeRanks ranks(3);
  ranks.collective(1, {0, 300, 500});  // arrivals in us
  const Matching matching = ranks.match();
  const Lateness lateness = lateness_of(matching, std::vector<RankTimes>(3, {1e7, 1}));
  const WaitingMatrix matrix = waiting_matrix(matching, lateness);
  ASSERT_EQ(matrix.chosen, (std::vector<std::size_t>{0, 1, 2}));
  // Rank 0 waited 300 us for both, then 200 us for the last; rank 1 waited for the last only.
  EXPECT_EQ(matrix.ns[0], (std::vector<double>{0, 150'000, 350'000}));
  EXPECT_EQ(matrix.ns[1], (std::vector<double>{0, 0, 200'000}));
  EXPECT_EQ(matrix.ns[2], (std::vector<double>{0, 0, 0}));
}

TEST(WaitingMatrix, AddsUpToTheWaitingAndShowsThoseWithMostOfIt) {
  MadeRanks ranks(4);
  ranks.collective(1, {0, 70, 500, 30});
  ranks.collective(1, {400, 10, 0, 20});
  const Matching matching = ranks.match();
  const Lateness lateness = lateness_of(matching, std::vector<RankTimes>(4, {1e7, 1}));
  const WaitingMatrix all = waiting_matrix(matching, lateness);
  for (std::size_t i = 0; i < 4; ++i) {
    double waited = 0, attributed = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      waited += all.ns[i][j];
      attributed += all.ns[j][i];
    }
    EXPECT_NEAR(waited, lateness.ranks[i].waited_ns, 1e-6);
    EXPECT_NEAR(attributed / 3, lateness.ranks[i].blamed_ns, 1e-6);
  }
  const WaitingMatrix some = waiting_matrix(matching, lateness, 2);
  ASSERT_EQ(some.chosen.size(), 2u);
  EXPECT_EQ(some.ns[0][1], all.ns[some.chosen[0]][some.chosen[1]]);
}

TEST(Lateness, NamesTheRankThatTheOthersWaitFor) {
  MadeRanks ranks(4);
  for (std::int64_t i = 0; i < 10; ++i) ranks.collective(1, {10 * i % 70, 0, 500, 30});
  const Lateness late = judged(ranks);
  EXPECT_EQ(late.verdict, LateVerdict::late);
  EXPECT_EQ(late.late, (std::vector<std::size_t>{2}));
  EXPECT_EQ(late.last, 10u);
  EXPECT_EQ(late.with_waiting, 10u);
  EXPECT_GT(late.blamed_share, 0.9);
  EXPECT_EQ(late.ranks[2].waited_ns, 0);
  EXPECT_NEAR(late.ranks[1].waited_share, 0.5, 1e-9);  // 10 times 0.5 ms of 10 ms
}

TEST(Lateness, NamesTwoRanksThatTakeTurns) {
  MadeRanks ranks(8);
  for (std::int64_t i = 0; i < 12; ++i) {
    std::vector<std::int64_t> late(8, 0);
    late[i % 2 == 0 ? 1 : 5] = 600;
    ranks.collective(1, late);
  }
  const Lateness late = judged(ranks);
  EXPECT_EQ(late.verdict, LateVerdict::late);
  EXPECT_EQ(late.late, (std::vector<std::size_t>{1, 5}));
}

TEST(Lateness, OfEqualRanksNobodyIsLate) {
  MadeRanks ranks(4);
  for (std::int64_t i = 0; i < 40; ++i) {
    std::vector<std::int64_t> late(4, 0);
    late[static_cast<std::size_t>(i) % 4] = 500;
    ranks.collective(1, late);
  }
  const Lateness late = judged(ranks);
  EXPECT_EQ(late.verdict, LateVerdict::no_single_rank);
  EXPECT_TRUE(late.late.empty());
  EXPECT_GT(late.lost_share, 0.5);
}

TEST(Lateness, LittleWaitingIsNotWorthASearch) {
  MadeRanks ranks(4);
  for (std::int64_t i = 0; i < 10; ++i) ranks.collective(1, {0, 0, 500, 0});
  EXPECT_EQ(judged(ranks, 100).verdict, LateVerdict::little_waiting);
}

TEST(Lateness, WaitingBehindComputingIsNotLost) {
  MadeRanks ranks(2);
  for (std::int64_t i = 0; i < 10; ++i) ranks.collective(1, {0, 500});
  const Lateness late = lateness_of(ranks.match(), {{1e7, 0.01}, {1e7, 0.01}});
  EXPECT_EQ(late.verdict, LateVerdict::little_waiting);
  EXPECT_NEAR(late.ranks[0].waited_share, 0.5, 1e-9);
  EXPECT_NEAR(late.ranks[0].lost_share, 0.01, 1e-9);
}

TEST(Lateness, AFewWaitsMayBeChance) {
  MadeRanks two(2);
  for (std::int64_t i = 0; i < 5; ++i) two.collective(1, {0, 2000});
  EXPECT_EQ(judged(two).verdict, LateVerdict::chance);  // 1 in 16 that one of two is last five times running
  for (std::int64_t i = 0; i < 5; ++i) two.collective(1, {0, 2000});
  EXPECT_EQ(judged(two).verdict, LateVerdict::late);
}

TEST(Lateness, OneLongWaitDoesNotMakeALateRank) {
  MadeRanks ranks(4);
  ranks.collective(1, {0, 0, 0, 60'000});
  for (std::int64_t i = 0; i < 20; ++i) {
    std::vector<std::int64_t> late(4, 0);
    late[static_cast<std::size_t>(i) % 3] = 40;
    ranks.collective(1, late);
  }
  EXPECT_EQ(judged(ranks).verdict, LateVerdict::no_single_rank);
}

// It is seldom the last one: each rank is, by a little. What it costs is what counts.
TEST(Lateness, ARankThatIsSeldomLateAndByMuchIsNamed) {
  MadeRanks ranks(4);
  for (std::int64_t i = 0; i < 40; ++i) {
    std::vector<std::int64_t> late(4, 0);
    late[static_cast<std::size_t>(i) % 4] = i % 4 == 2 ? 5000 : 60;
    ranks.collective(1, late);
  }
  const Lateness late = judged(ranks);
  EXPECT_EQ(late.verdict, LateVerdict::late);
  EXPECT_EQ(late.late, (std::vector<std::size_t>{2}));
  EXPECT_EQ(late.last, 10u);  // of 40, as often as chance has it
  EXPECT_LE(late.blamed_share_low, late.blamed_share);
  EXPECT_GE(late.blamed_share_high, late.blamed_share);
  EXPECT_GT(late.blamed_share_low, 0.8);
}

// Equal ranks whose waits scatter over a factor of fifty: one rank has the largest share, and none is late.
TEST(LatenessSimulation, SizesThatScatterSeldomNameARank) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> wait(6, 1);
  int named = 0;
  constexpr int rounds = 1000;
  for (int round = 0; round < rounds; ++round) {
    MadeRanks ranks(4);
    for (int i = 0; i < 30; ++i) {
      std::vector<std::int64_t> late(4, 0);
      late[random() % 4] = static_cast<std::int64_t>(wait(random));
      ranks.collective(1, late);
    }
    named += judged(ranks).verdict == LateVerdict::late;
  }
  EXPECT_LE(named, rounds / 50);
}

TEST(Lateness, KernelsOfNearlyEqualLengthAreNoWaiting) {
  MadeRanks ranks(2);
  for (std::int64_t i = 0; i < 100; ++i) ranks.collective(1, {0, 15});  // less than the 20 us that count
  const Lateness late = judged(ranks);
  EXPECT_EQ(late.with_waiting, 0u);
  EXPECT_EQ(late.verdict, LateVerdict::little_waiting);
}

TEST(Lateness, WithoutCollectivesNothingIsSaid) { EXPECT_EQ(judged(MadeRanks(2)).verdict, LateVerdict::no_collectives); }

TEST(Lateness, WithAMatchInDoubtNothingIsSaid) {
  MadeRanks ranks(2);
  std::int64_t end = 0;
  for (std::int64_t i = 0; i < 30; ++i) {
    end += 10'000'000;
    ranks.call(0, 1, "all_to_all", 100'000, end);
    ranks.call(1, 1, "all_to_all", 900'000, end + (i * i * 37 % 11) * 1'000'000);
  }
  EXPECT_EQ(judged(ranks).verdict, LateVerdict::not_together);
}

TEST(WithoutWaiting, MakesTheStepShorterAndCommunicationLess) {
  model::RunFacts facts;
  facts.set(RunFact::communication_fraction, 0.4);
  facts.set(RunFact::host_fraction, 0.3);
  facts.set(RunFact::gpu_busy_fraction, 0.6);
  facts.set(RunFact::kernels_per_step, 100);
  const model::RunFacts left = without_waiting(facts, 0.25);
  EXPECT_NEAR(*left[RunFact::communication_fraction], 0.2, 1e-9);
  EXPECT_NEAR(*left[RunFact::host_fraction], 0.4, 1e-9);
  EXPECT_NEAR(*left[RunFact::gpu_busy_fraction], 0.35 / 0.75, 1e-9);
  EXPECT_EQ(left[RunFact::kernels_per_step], 100);
  EXPECT_FALSE(left[RunFact::input_fraction]);
}

}  // namespace
}  // namespace frx::derive::ranks
