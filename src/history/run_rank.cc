#include "history/run_rank.h"

#include <algorithm>

#include "derive/ranks/fleet_chance.h"
#include "derive/ranks/fleet_step.h"

namespace frx::history {

using derive::ranks::Evidence;
using derive::ranks::Habit;
using derive::ranks::Hits;

Result<RunRank> run_rank_of(const model::RankSummary& summary) {
  if (!summary.head.rank) {
    return fail(ErrorKind::malformed, "expected the summary of a rank of a run, found one that names no rank")
        .hint("put the rank into the name of the trace before it is summarised: trace.rank0.json");
  }
  RunRank rank{.rank = *summary.head.rank, .node = summary.head.node, .step_ns = summary.head.step_time_ns.value_or(0), .collectives = {}};
  derive::ranks::RankClock clock;
  for (std::size_t begin = 0, end = 0; begin < summary.calls.size(); begin = end) {
    const std::int64_t step = summary.calls[begin].step;
    std::vector<derive::ranks::FleetCall> calls;
    for (; end < summary.calls.size() && summary.calls[end].step == step; ++end) {
      const model::RankCall& call = summary.calls[end];
      calls.push_back({call.what, call.group, call.start, call.duration});
    }
    if (!std::ranges::binary_search(summary.head.steps, step)) continue;
    std::uint32_t group = model::RankCall::no_group;
    std::uint64_t nth = 0;
    for (const derive::ranks::StepCall& call : clock.take(calls)) {
      nth = call.group == group ? nth + 1 : 0;
      group = call.group;
      rank.collectives.push_back({step, summary.words[call.group], summary.words[call.what], nth, call.duration, call.own_work});
    }
  }
  return rank;
}

std::vector<LateRanks::One> LateRanks::late() const {
  std::vector<One> found;
  for (const One& one : all) {
    if (one.late.habit != Habit::none) found.push_back(one);
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, [](const One& one) { return one.late.cost_ns(); });
  return found;
}

LateRanks late_ranks_of(const RankReduction& reduction, const knowledge::FleetRules& rules) {
  LateRanks shown;
  shown.ranks = reduction.ranks;
  shown.steps = reduction.steps;
  shown.collectives = reduction.collectives;
  std::vector<Evidence> evidence;
  for (const RankHits& one : reduction.hits) {
    evidence.emplace_back(Hits(one.steps, one.clear, static_cast<double>(one.clear_ns)),
                          Hits(one.steps, one.leaning, static_cast<double>(one.leaning_ns)));
  }
  std::vector<const Evidence*> pointers;
  for (const Evidence& one : evidence) pointers.push_back(&one);
  const derive::ranks::Verdicts verdicts(pointers, rules);
  shown.steps_needed = verdicts.steps_needed();
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    const RankHits& hits = reduction.hits[i];
    const double waited = hits.steps > 0 ? static_cast<double>(hits.waited_ns) / static_cast<double>(hits.steps) : 0;
    shown.all.push_back({hits.rank, hits.node, verdicts.of(evidence[i]), waited});
  }
  return shown;
}

}  // namespace frx::history
