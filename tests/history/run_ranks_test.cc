// Ranks of a made-up cluster in every store: what the query of the store says is what frx analyze says of the same summaries.
#include <gtest/gtest.h>

#include <filesystem>

#include "analyse/summaries.h"
#include "history/clickhouse/clickhouse_store.h"
#include "history/on_each_store.h"
#include "history/run_rank.h"
#include "history/store.h"
#include "knowledge/library.h"
#include "support/fleet_score.h"

namespace frx::history {
namespace {

class RunRanks : public OnEachStore {
 protected:
  // The ranks of a cluster, and what frx analyze says of them.
  std::shared_ptr<report::FleetReport> make(const testing::ClusterPlan& plan, std::vector<RunRank>& ranks) {
    const Result<const report::TraceAnalyst*> analyst = context.traces();
    const std::string at = folder.file("fleet");
    std::filesystem::create_directories(at);
    EXPECT_TRUE(testing::write_summaries(testing::MadeCluster(plan), **analyst, at, 16));
    std::vector<ingest::Source> sources;
    sources.push_back(ingest::Source::at(at));
    Result<std::vector<analyse::Input>> inputs = analyse::inputs_of(std::move(sources), (*context.knowledge())->metrics);
    std::vector<std::string> notes;
    const auto entries = analyse::RankInputs(*inputs, context).fleet(notes);
    for (const report::FleetEntry& entry : *entries) ranks.push_back(*run_rank_of(*entry.file->whole(entry.rank)));
    std::ranges::sort(ranks, {}, &RunRank::rank);
    return *report::analyse_fleet(**analyst, "fleet", *entries, notes);
  }

  analyse::Context context{analyse::Options{}};
  knowledge::FleetRules rules = *knowledge::FleetRules::load(knowledge::Library::builtin());
};

INSTANTIATE_TEST_SUITE_P(Stores, RunRanks, ::testing::Values("SQLite", "ClickHouse", "Chdb"),
                         [](const auto& one) { return std::string(one.param); });

void expect_the_same(const LateRanks& said, const derive::ranks::Fleet& fleet) {
  ASSERT_EQ(said.all.size(), fleet.ranks.size());
  std::size_t late = 0;
  for (std::size_t i = 0; i < said.all.size(); ++i) {
    const derive::ranks::Record &ours = said.all[i].late, &theirs = fleet.ranks[i].late;
    EXPECT_EQ(ours.habit, theirs.habit) << i;
    EXPECT_EQ(ours.steps, theirs.steps) << i;
    EXPECT_EQ(ours.hits, theirs.hits) << i;
    EXPECT_NEAR(ours.excess_ns, theirs.excess_ns, 1e-6 * theirs.excess_ns) << i;
    late += ours.habit != derive::ranks::Habit::none;
  }
  EXPECT_EQ(said.late().size(), late);
  EXPECT_EQ(said.steps_needed, fleet.steps_needed);
}

TEST_P(RunRanks, AreReducedAsAnAnalysisOfTheirSummariesReducesThem) {
  const auto store = open("ranks");
  std::vector<RunRank> ranks;
  const auto report = make({.tensor = 8, .data = 6, .pipeline = 2, .steps = 20, .layers = 6, .late_ranks = 2, .ranks_at_times = 1}, ranks);
  ASSERT_EQ(ranks.size(), 96u);
  const std::string run = "it's {rows} {run}";
  // In parts, some of them twice, as after an interrupted try, and beside another run.
  const std::span<const RunRank> all(ranks);
  ASSERT_TRUE(store->add_ranks(run, all.subspan(0, 50), 1000));
  EXPECT_EQ((*store->add_ranks(run, all.subspan(49, 2), 2000)), (std::vector<bool>{false, true}));
  ASSERT_TRUE(store->add_ranks(run, all, 3000));
  ASSERT_TRUE(store->add_ranks("other", all.subspan(0, 7), 3000));
  const Result<RankReduction> reduced = store->reduce_ranks(run, rules);
  ASSERT_TRUE(reduced) << to_string(reduced.error());
  EXPECT_EQ(reduced->ranks, 96u);
  EXPECT_EQ(reduced->steps, report->fleet.steps);
  const LateRanks said = late_ranks_of(*reduced, rules);
  expect_the_same(said, report->fleet);
  if (servers) {
    // Few steps at once, and every row twice, as after an insert whose answer was lost.
    clickhouse::Client client = *clickhouse::Client::connect(*clickhouse::place_in(servers->address("ranks")), {});
    for (const char* table : {"collective", "membership", "run_rank"})
      ASSERT_TRUE(client.run(fmt::format("INSERT INTO ranks.{0} SELECT * FROM ranks.{0}", table)));
    clickhouse::ClickHouseStore in_parts(client, 3000);
    const RankReduction again = *in_parts.reduce_ranks(run, rules);
    EXPECT_EQ(again.collectives, reduced->collectives);
    expect_the_same(late_ranks_of(again, rules), report->fleet);
  }
  EXPECT_GE(said.late().size(), 2u);
  EXPECT_EQ(store->reduce_ranks("absent", rules)->ranks, 0u);
  EXPECT_EQ(store->reduce_ranks("other", rules)->ranks, 7u);
  ASSERT_TRUE(store->remove_before(2000));
  EXPECT_EQ(store->reduce_ranks(run, rules)->ranks, 46u);
}

// A rank with other collectives than the rest of its group in a step, and one that lacks some: that group and step is not compared.
TEST_P(RunRanks, WhatDoesNotMatchIsNotCompared) {
  const auto store = open("ranks");
  std::vector<RunRank> ranks;
  for (std::int64_t r = 0; r < 4; ++r) {
    RunRank rank{.rank = r, .node = "n", .step_ns = 1e6, .collectives = {}};
    for (std::int64_t step = 0; step < 10; ++step) {
      for (std::uint64_t nth = 0; nth < 2; ++nth) {
        if (r == 3 && step == 5 && nth == 1) continue;
        const std::optional<std::int64_t> own = step == 0 ? std::nullopt : std::optional<std::int64_t>(r == 2 ? 400'000 : 100'000);
        rank.collectives.push_back({step, "all", r == 1 && step == 4 ? "broadcast" : "allreduce", nth, r == 2 ? 10'000 : 310'000, own});
      }
    }
    ranks.push_back(std::move(rank));
  }
  ASSERT_TRUE(store->add_ranks("run", ranks, 1000));
  const Result<RankReduction> reduced = store->reduce_ranks("run", rules);
  ASSERT_TRUE(reduced) << to_string(reduced.error());
  ASSERT_EQ(reduced->hits.size(), 4u);
  for (const RankHits& one : reduced->hits) {
    EXPECT_EQ(one.steps, 7u) << one.rank;  // of 10, without the first and the two that do not match
    EXPECT_EQ(one.clear, one.rank == 2 ? 7u : 0u) << one.rank;
    EXPECT_EQ(one.clear_ns, one.rank == 2 ? 7 * 600'000 : 0) << one.rank;
    EXPECT_EQ(one.waited_ns, one.rank == 2 ? 0 : 7 * 600'000) << one.rank;
  }
}

}  // namespace
}  // namespace frx::history
