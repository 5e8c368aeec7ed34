#include "support/fleet_score.h"

#include <algorithm>
#include <map>

#include "base/document.h"
#include "base/files.h"
#include "base/parallel.h"
#include "ingest/chrome_trace/read_trace.h"

namespace frx::testing {
namespace {

using derive::ranks::FleetLink;
using derive::ranks::Habit;

// A name is right where the same thing was planted, and false where nothing was.
void count_name(FleetCount& count, bool is_right, bool is_something) {
  ++count.named;
  count.found += is_right;
  count.false_names += !is_something;
}

}  // namespace

std::vector<FleetCount> score_of(const report::FleetReport& report, const ClusterTruth& truth) {
  FleetCount always{"ranks late all the time", truth.late_ranks.size()}, at_times{"ranks late at times", truth.ranks_at_times.size()};
  FleetCount nodes{"late nodes", truth.late_nodes.size()}, links{"slow links of a node", truth.slow_nodes.size()};
  FleetCount pairs{"slow links between two nodes", truth.slow_pairs.size()};
  for (std::size_t i = 0; i < report.heads.size(); ++i) {
    const derive::ranks::FleetRankResult& one = report.fleet.ranks[i];
    if (one.late.habit == Habit::none || one.by_node) continue;
    const std::int64_t rank = *report.heads[i].rank;
    const bool is_always = truth.late_ranks.contains(rank), is_at_times = truth.ranks_at_times.contains(rank);
    const bool is_something = is_always || is_at_times || truth.late_nodes.contains(report.heads[i].node);
    one.late.habit == Habit::always ? count_name(always, is_always, is_something) : count_name(at_times, is_at_times, is_something);
  }
  for (const derive::ranks::FleetNode& node : report.fleet.nodes)
    count_name(nodes, truth.late_nodes.contains(node.name), truth.late_nodes.contains(node.name));
  for (const FleetLink& link : report.fleet.links) {
    if (link.nodes.size() == 1) {
      const bool right = truth.slow_nodes.contains(link.nodes[0]);
      count_name(links, right, right);
    } else {
      // More than two nodes are a name that says less, and no wrong one where one of them is slow.
      const bool right = link.nodes.size() == 2 && truth.slow_pairs.contains({link.nodes[0], link.nodes[1]});
      const bool is_slow = std::ranges::any_of(link.nodes, [&](const std::string& node) { return truth.slow_nodes.contains(node); });
      count_name(pairs, right, right || is_slow);
    }
  }
  return {always, at_times, nodes, links, pairs};
}

namespace {

// A rank that was read from its trace; the others are like it.
Result<report::RankRecording> recording_of_first(const MadeCluster& cluster, const report::TraceAnalyst& analyst) {
  const std::string text = cluster.trace(0);
  const std::unique_ptr<ByteSource> bytes = open_bytes(text);
  TRY_ASSIGN(frx::model::Timeline timeline, ingest::trace::read_trace(cluster.trace_name(0), *bytes));
  Interner words;
  std::vector<report::RankRecording> all = analyst.analyse_ranks(std::move(timeline), words);
  return std::move(all.front());
}

}  // namespace

Result<std::string> summaries_from_plan(std::string_view name, std::string_view text) {
  ClusterPlan plan;
  const std::map<std::string_view, int*> members = {{"tensor", &plan.tensor},         {"data", &plan.data},
                                                    {"pipeline", &plan.pipeline},     {"steps", &plan.steps},
                                                    {"layers", &plan.layers},         {"late_ranks", &plan.late_ranks},
                                                    {"late_nodes", &plan.late_nodes}, {"ranks_at_times", &plan.ranks_at_times},
                                                    {"slow_nodes", &plan.slow_nodes}, {"slow_pairs", &plan.slow_pairs}};
  TRY_ASSIGN(const Document document, parse_yaml(std::string(name), std::string(text)));
  const DocumentView view = document.view();
  const Value map(view);
  for (std::size_t i = 0; i < map.size(); ++i) {
    const auto member = members.find(map.key(i));
    const std::optional<double> number = map.value(i).number();
    if (member == members.end() || !number) return fail(ErrorKind::malformed, "a cluster has no '{}'", map.key(i)).at(std::string(name));
    *member->second = static_cast<int>(*number);
  }
  TRY_ASSIGN(const std::unique_ptr<report::TraceAnalyst> analyst, report::TraceAnalyst::create(""));
  const MadeCluster cluster(plan);
  TRY_ASSIGN(const report::RankRecording like, recording_of_first(cluster, *analyst));
  std::vector<frx::model::RankSummary> ranks;
  for (int rank = 0; rank < cluster.ranks(); ++rank) ranks.push_back(cluster.summary(rank, like));
  return ingest::rank_summary::packed(ranks);
}

Result<std::uint64_t> write_summaries(const MadeCluster& cluster, const report::TraceAnalyst& analyst, const std::string& folder,
                                      int per_file) {
  TRY_ASSIGN(const report::RankRecording like, recording_of_first(cluster, analyst));
  const std::size_t files = static_cast<std::size_t>((cluster.ranks() + per_file - 1) / per_file);
  std::vector<Result<>> written(files);
  std::vector<std::uint64_t> sizes(files);
  for_each_in_parallel(files, [&](std::size_t file) {
    std::vector<frx::model::RankSummary> ranks;
    const int first = static_cast<int>(file) * per_file;
    for (int rank = first; rank < std::min(first + per_file, cluster.ranks()); ++rank) ranks.push_back(cluster.summary(rank, like));
    const std::string packed = ingest::rank_summary::packed(ranks);
    sizes[file] = packed.size();
    written[file] = write_file(fmt::format("{}/rank{:05}.frxsum", folder, first), packed);
  });
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < files; ++i) {
    TRY(written[i]);
    size += sizes[i];
  }
  return size;
}

}  // namespace frx::testing
