#include "derive/ranks/fleet.h"

#include <gtest/gtest.h>

#include <map>

#include "derive/ranks/fleet_chance.h"
#include "model/rank_summary.h"

namespace frx::derive::ranks {
namespace {

constexpr std::int64_t us = 1000;

// Ranks with steps of two kinds of groups: pairs of neighbours, then all ranks of equal parity. Each works 1 ms before either.
class MadeFleet final : public FleetCalls {
 public:
  explicit MadeFleet(std::size_t count, std::int64_t steps) : time_(count), calls_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      ranks_.push_back({static_cast<std::int64_t>(i), fmt::format("node{}", i / 2), {}, 4e6, 0});
      for (std::int64_t step = 0; step < steps; ++step) ranks_.back().steps.push_back(step);
    }
  }

  // Works before its pair meets: beside the usual, in us.
  void step(std::int64_t number, const std::map<std::size_t, std::int64_t>& more_us, std::int64_t transfer_of_even_us = 50) {
    for (std::size_t i = 0; i < time_.size(); ++i) time_[i] += 1000 * us + (more_us.contains(i) ? more_us.at(i) * us : 0) + jitter();
    for (std::size_t i = 0; i + 1 < time_.size(); i += 2) meet(number, {i, i + 1}, fmt::format("pair {}", i / 2), 50 * us);
    for (std::size_t i = 0; i < time_.size(); ++i) time_[i] += 1000 * us + jitter();
    for (std::size_t parity : {0u, 1u}) {
      std::vector<std::size_t> members;
      for (std::size_t i = parity; i < time_.size(); i += 2) members.push_back(i);
      meet(number, members, fmt::format("parity {}", parity), (parity == 0 ? transfer_of_even_us : 50) * us);
    }
  }
  void send(std::size_t rank, std::int64_t step, std::int64_t duration_us) {
    calls_[rank][step].push_back({words.add("recv"), model::RankCall::no_group, time_[rank] + clock(rank), duration_us * us});
    time_[rank] += duration_us * us;
  }

  Result<> read(std::size_t rank, std::int64_t step, std::vector<FleetCall>& into) override {
    into = calls_[rank][step];
    return {};
  }
  Fleet fleet() {
    const knowledge::FleetRules rules = knowledge::FleetRules::load(knowledge::Library::builtin()).value();
    return fleet_of(ranks_, *this, words, rules).value();
  }

  Interner words;

 private:
  // Clocks are seconds apart.
  static std::int64_t clock(std::size_t rank) { return static_cast<std::int64_t>(rank) * 1'000'000'007; }
  std::int64_t jitter() {
    return static_cast<std::int64_t>((draw_ = draw_ * 6364136223846793005u + 1442695040888963407u) >> 33) % (4 * us);
  }

  void meet(std::int64_t step, const std::vector<std::size_t>& members, const std::string& group, std::int64_t transfer) {
    std::int64_t last = 0;
    for (const std::size_t one : members) last = std::max(last, time_[one]);
    for (const std::size_t one : members) {
      calls_[one][step].push_back(
          {words.add("allreduce of 8 Float"), words.add(group), time_[one] + clock(one), last + transfer - time_[one]});
      time_[one] = last + transfer;
    }
  }

  std::vector<FleetRank> ranks_;
  std::vector<std::int64_t> time_;
  std::vector<std::map<std::int64_t, std::vector<FleetCall>>> calls_;
  std::uint64_t draw_ = 1;
};

std::vector<std::size_t> late_of(const Fleet& fleet) {
  std::vector<std::size_t> late;
  for (std::size_t i = 0; i < fleet.ranks.size(); ++i) {
    if (fleet.ranks[i].late.habit != Habit::none) late.push_back(i);
  }
  return late;
}

TEST(Fleet, TheNeighbourThatWaitedForALateRankIsNotNamed) {
  MadeFleet made(16, 12);
  for (int step = 0; step < 12; ++step) made.step(step, {{5, 300}});
  const Fleet fleet = made.fleet();
  EXPECT_EQ(late_of(fleet), (std::vector<std::size_t>{5}));
  EXPECT_EQ(fleet.ranks[5].late.habit, Habit::always);
  EXPECT_NEAR(fleet.ranks[5].late.excess_ns, 300'000, 15'000);
  EXPECT_TRUE(fleet.nodes.empty());
  EXPECT_EQ(fleet.together, fleet.collectives);
}

TEST(Fleet, ANodeWhoseRanksAreLateTogetherIsNamed) {
  MadeFleet made(16, 12);
  for (int step = 0; step < 12; ++step) made.step(step, {{6, 300}, {7, 300}});
  const Fleet fleet = made.fleet();
  ASSERT_EQ(fleet.nodes.size(), 1u);
  EXPECT_EQ(fleet.nodes[0].name, "node3");
  EXPECT_TRUE(fleet.ranks[6].by_node && fleet.ranks[7].by_node);
}

TEST(Fleet, ARankThatIsLateEveryThirdStepHasThatPeriod) {
  MadeFleet made(16, 30);
  for (int step = 0; step < 30; ++step)
    made.step(step, step % 3 == 2 ? std::map<std::size_t, std::int64_t>{{4, 400}} : std::map<std::size_t, std::int64_t>());
  const Fleet fleet = made.fleet();
  EXPECT_EQ(late_of(fleet), (std::vector<std::size_t>{4}));
  EXPECT_EQ(fleet.ranks[4].late.habit, Habit::sometimes);
  EXPECT_EQ(fleet.ranks[4].late.period, 3u);
  EXPECT_EQ(fleet.ranks[4].late.hits, 10u);
}

TEST(Fleet, OneLateStepIsChance) {
  MadeFleet made(16, 30);
  for (int step = 0; step < 30; ++step)
    made.step(step, step == 7 ? std::map<std::size_t, std::int64_t>{{4, 4000}} : std::map<std::size_t, std::int64_t>());
  EXPECT_TRUE(late_of(made.fleet()).empty());
}

TEST(Fleet, WaitingForAMessageIsNoWork) {
  MadeFleet made(16, 12);
  for (int step = 0; step < 12; ++step) {
    made.step(step, {});
    made.send(9, step, 500);
  }
  EXPECT_TRUE(late_of(made.fleet()).empty());
}

TEST(Fleet, TwoGroupsAreTooFewToCallALinkSlow) {
  MadeFleet made(16, 12);
  for (int step = 0; step < 12; ++step) made.step(step, {}, 900);
  const Fleet fleet = made.fleet();
  EXPECT_TRUE(fleet.links.empty());
  for (const FleetGroup& group : fleet.groups) EXPECT_EQ(group.has_peers, group.ranks.size() == 2) << group.ranks.size();
}

TEST(Fleet, TheChanceOfHitsIsThatOfTheBinomialDistribution) {
  EXPECT_NEAR(chance_of_hits(1, 10, 0.1), 1 - std::pow(0.9, 10), 1e-12);
  EXPECT_NEAR(chance_of_hits(10, 10, 0.5), std::pow(0.5, 10), 1e-15);
  EXPECT_NEAR(chance_of_hits(2, 3, 0.5), 0.5, 1e-12);
  EXPECT_EQ(chance_of_hits(0, 5, 0.1), 1);
}

TEST(Fleet, PeriodsAreOfHitsAtMultiples) {
  Hits hits, random;
  for (int step = 0; step < 40; ++step) hits.add(step % 5 == 1, 10, 2);
  EXPECT_EQ(hits.period(), 5u);
  EXPECT_EQ(hits.record().hits, 8u);
  EXPECT_EQ(hits.record().ratio, 2);
  for (const int step : {0, 1, 4, 11, 13, 14, 20, 27, 28, 33}) {
    while (random.steps() < static_cast<std::uint64_t>(step)) random.add(false, 0, 0);
    random.add(true, 1, 1);
  }
  EXPECT_FALSE(random.period());
}

}  // namespace
}  // namespace frx::derive::ranks
