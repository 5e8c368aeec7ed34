#include "history/run_rank.h"

#include <algorithm>

#include "derive/ranks/fleet_step.h"

namespace frx::history {

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

}  // namespace frx::history
