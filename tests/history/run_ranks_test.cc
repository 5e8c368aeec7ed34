// Ranks of a made-up cluster in every store: what the queries of the store say is what frx analyze says of the same summaries.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "analyse/summaries.h"
#include "base/text.h"
#include "compose/fleet_words.h"
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

void expect_the_same(const derive::ranks::Record& ours, const derive::ranks::Record& theirs, std::string_view of) {
  EXPECT_EQ(ours.habit, theirs.habit) << of;
  EXPECT_EQ(ours.steps, theirs.steps) << of;
  EXPECT_EQ(ours.hits, theirs.hits) << of;
  EXPECT_EQ(ours.period, theirs.period) << of;
  EXPECT_NEAR(ours.excess_ns, theirs.excess_ns, 1e-6 * theirs.excess_ns) << of;
  EXPECT_NEAR(ours.ratio, theirs.ratio, 1e-6) << of;
}

std::string names_of(const derive::ranks::FleetLink& link) { return join(link.nodes, " ") + (link.within_node ? " within" : ""); }

// In the order of the fleet, but for groups, which a store numbers by itself.
void expect_the_same(const ComparedRanks& said, const report::FleetReport& report) {
  const derive::ranks::Fleet &ours = said.fleet, &theirs = report.fleet;
  ASSERT_EQ(ours.ranks.size(), theirs.ranks.size());
  for (std::size_t i = 0; i < ours.ranks.size(); ++i) {
    EXPECT_EQ(said.ranks[i].node, report.heads[i].node);
    expect_the_same(ours.ranks[i].late, theirs.ranks[i].late, fmt::format("rank {}", i));
    EXPECT_EQ(ours.ranks[i].by_node, theirs.ranks[i].by_node) << i;
    EXPECT_NEAR(ours.ranks[i].waited_ns, theirs.ranks[i].waited_ns, 1e-6 * theirs.ranks[i].waited_ns) << i;
  }
  ASSERT_EQ(ours.nodes.size(), theirs.nodes.size());
  for (std::size_t i = 0; i < ours.nodes.size(); ++i) {
    EXPECT_EQ(ours.nodes[i].name, theirs.nodes[i].name);
    EXPECT_EQ(ours.nodes[i].ranks, theirs.nodes[i].ranks);
  }
  std::map<std::string_view, const derive::ranks::FleetGroup*> groups;
  for (const derive::ranks::FleetGroup& group : ours.groups) groups[said.words[group.group]] = &group;
  ASSERT_EQ(groups.size(), theirs.groups.size());
  for (const derive::ranks::FleetGroup& group : theirs.groups) {
    const std::string_view name = report.words[group.group];
    ASSERT_TRUE(groups.contains(name)) << name;
    const derive::ranks::FleetGroup& same = *groups[name];
    EXPECT_EQ(same.ranks, group.ranks) << name;
    EXPECT_EQ(same.role, group.role) << name;
    EXPECT_EQ(same.has_peers, group.has_peers) << name;
    EXPECT_EQ(same.collectives, group.collectives) << name;
    EXPECT_NEAR(same.transfer_ns, group.transfer_ns, 1e-6 * group.transfer_ns) << name;
    expect_the_same(same.slow, group.slow, name);
  }
  ASSERT_EQ(ours.links.size(), theirs.links.size());
  for (std::size_t i = 0; i < ours.links.size(); ++i) EXPECT_EQ(names_of(ours.links[i]), names_of(theirs.links[i]));
  EXPECT_EQ(ours.steps_needed, theirs.steps_needed);
  EXPECT_EQ(ours.collectives, theirs.collectives);
}

TEST_P(RunRanks, AreReducedAsAnAnalysisOfTheirSummariesReducesThem) {
  const auto store = open("ranks");
  std::vector<RunRank> ranks;
  const auto report = make({.tensor = 8,
                            .data = 6,
                            .pipeline = 2,
                            .steps = 20,
                            .layers = 6,
                            .late_ranks = 2,
                            .late_nodes = 1,
                            .ranks_at_times = 1,
                            .slow_nodes = 1,
                            .slow_pairs = 1},
                           ranks);
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
  EXPECT_EQ(reduced->ranks.size(), 96u);
  EXPECT_EQ(reduced->steps.size(), report->fleet.steps);
  const ComparedRanks said = compare_ranks(*reduced, rules);
  expect_the_same(said, *report);
  if (servers) {
    // Few steps at once, and every row twice, as after an insert whose answer was lost.
    clickhouse::Client client = *clickhouse::Client::connect(*clickhouse::place_in(servers->address("ranks")), {});
    for (const char* table : {"collective", "membership", "run_rank"})
      ASSERT_TRUE(client.run(fmt::format("INSERT INTO ranks.{0} SELECT * FROM ranks.{0}", table)));
    clickhouse::ClickHouseStore in_parts(client, 3000);
    const RankReduction again = *in_parts.reduce_ranks(run, rules);
    EXPECT_EQ(again.collectives, reduced->collectives);
    expect_the_same(compare_ranks(again, rules), *report);
  }
  EXPECT_GE(compose::late_ranks(said.fleet).size(), 3u);
  EXPECT_EQ(said.fleet.nodes.size(), 1u);
  EXPECT_GE(said.fleet.links.size(), 1u);
  EXPECT_TRUE(store->reduce_ranks("absent", rules)->ranks.empty());
  EXPECT_EQ(store->reduce_ranks("other", rules)->ranks.size(), 7u);
  ASSERT_TRUE(store->remove_before(2000));
  EXPECT_EQ(store->reduce_ranks(run, rules)->ranks.size(), 46u);
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
    EXPECT_EQ(one.late.steps, 7u) << one.rank;  // of 10, without the first and the two that do not match
    EXPECT_EQ(one.late.clear, one.rank == 2 ? 7u : 0u) << one.rank;
    EXPECT_EQ(one.late.clear_ns, one.rank == 2 ? 7 * 600'000 : 0) << one.rank;
    EXPECT_EQ(one.waited_ns, one.rank == 2 ? 0 : 7 * 600'000) << one.rank;
    EXPECT_EQ(one.late.clear_steps.size(), one.late.clear) << one.rank;
  }
  ASSERT_EQ(reduced->transfers.size(), 1u);
  EXPECT_EQ(reduced->transfers[0].steps, 8u);
  EXPECT_EQ(reduced->transfers[0].transfer_ns, 8 * 2 * 10'000);
  EXPECT_EQ(reduced->transfers[0].slow.steps, 0u);  // no group to compare it with
}

}  // namespace
}  // namespace frx::history
