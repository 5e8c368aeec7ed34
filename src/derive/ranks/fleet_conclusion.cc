#include "derive/ranks/fleet_conclusion.h"

#include <algorithm>

#include "derive/ranks/fleet_groups.h"

namespace frx::derive::ranks {
namespace {

using knowledge::FleetRules;

void conclude_late(const std::vector<RankEvidence>& evidence, const std::vector<FleetRank>& ranks, const FleetRules& rules, Fleet& fleet) {
  std::vector<const Evidence*> all;
  for (const RankEvidence& one : evidence) all.push_back(&one.late);
  const Verdicts verdicts(all, rules);
  std::uint64_t most_steps = 0;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    const std::uint64_t steps = evidence[i].late.clear().steps();
    FleetRankResult result;
    result.late = verdicts.of(evidence[i].late);
    result.waited_ns = steps > 0 ? evidence[i].waited_ns / static_cast<double>(steps) : 0;
    most_steps = std::max(most_steps, steps);
    fleet.waited_ns += result.waited_ns / static_cast<double>(evidence.size());
    fleet.step_ns += ranks[i].step_ns / static_cast<double>(evidence.size());
    fleet.ranks.push_back(result);
  }
  fleet.steps_needed = verdicts.steps_needed();
  fleet.enough_steps = most_steps >= fleet.steps_needed;
}

// Where most ranks of a node are late, the node is.
void conclude_nodes(const std::vector<FleetRank>& ranks, const FleetRules& rules, Fleet& fleet) {
  std::map<std::string, std::vector<std::size_t>> nodes;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!ranks[i].node.empty()) nodes[ranks[i].node].push_back(i);
  }
  if (nodes.size() < 2) return;
  for (auto& [name, members] : nodes) {
    std::vector<std::size_t> late;
    std::ranges::copy_if(members, std::back_inserter(late), [&](std::size_t i) { return fleet.ranks[i].late.habit != Habit::none; });
    if (late.size() < 2 || static_cast<double>(late.size()) < rules.node_share * static_cast<double>(members.size())) continue;
    std::ranges::stable_sort(late, {}, [&](std::size_t i) { return fleet.ranks[i].late.share(); });
    for (const std::size_t i : late) fleet.ranks[i].by_node = true;
    fleet.nodes.push_back({name, members, fleet.ranks[late[late.size() / 2]].late, late.size()});
  }
  std::ranges::stable_sort(fleet.nodes, std::ranges::greater{}, [](const FleetNode& node) { return node.late.cost_ns(); });
}

void conclude_slow(const std::map<std::uint32_t, GroupEvidence>& groups, const FleetRules& rules, Fleet& fleet) {
  std::vector<const Evidence*> all;
  for (const auto& [group, one] : groups) {
    if (one.slow.clear().steps() > 0) all.push_back(&one.slow);
  }
  const Verdicts verdicts(all, rules);
  for (const auto& [group, one] : groups) {
    if (one.ranks.size() < 2) {
      ++fleet.alone;
      continue;
    }
    fleet.groups.push_back({group, one.ranks, GroupRole::other, verdicts.of(one.slow), one.slow.clear().steps() > 0,
                            one.steps > 0 ? one.transfer_ns / static_cast<double>(one.steps) : 0, one.collectives, one.steps});
  }
}

}  // namespace

void conclude(const FleetEvidence& evidence, const std::vector<FleetRank>& ranks, const FleetRules& rules, Fleet& fleet) {
  conclude_late(evidence.ranks, ranks, rules, fleet);
  conclude_nodes(ranks, rules, fleet);
  conclude_slow(evidence.groups, rules, fleet);
  tell_roles(ranks, fleet.groups);
  fleet.roles = roles_of(fleet.groups);
  fleet.links = links_of(ranks, fleet.groups);
}

}  // namespace frx::derive::ranks
