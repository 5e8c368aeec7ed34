#include "history/compared_ranks.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/text.h"
#include "derive/ranks/fleet_conclusion.h"

namespace frx::history {
namespace {

using derive::ranks::Evidence;
using derive::ranks::FleetRank;
using derive::ranks::GroupEvidence;
using derive::ranks::Hits;

Evidence evidence_of(const StepHits& hits, const std::vector<std::int64_t>& steps) {
  std::vector<std::uint64_t> at;
  for (const std::int64_t step : hits.clear_steps)
    at.push_back(static_cast<std::uint64_t>(std::ranges::lower_bound(steps, step) - steps.begin()));
  return {Hits(hits.steps, hits.clear, hits.clear_ns, hits.clear_ratios, at),
          Hits(hits.steps, hits.leaning, hits.leaning_ns, hits.leaning_ratios, {})};
}

// Of ranks by number; absent for a rank that is not there.
std::optional<std::uint32_t> index_of(const std::vector<FleetRank>& ranks, std::int64_t rank) {
  const auto at = std::ranges::lower_bound(ranks, rank, {}, &FleetRank::rank);
  if (at == ranks.end() || at->rank != rank) return std::nullopt;
  return static_cast<std::uint32_t>(at - ranks.begin());
}

}  // namespace

void StepHits::add(const StepHits& other) {
  steps += other.steps;
  clear += other.clear;
  leaning += other.leaning;
  clear_ns += other.clear_ns;
  leaning_ns += other.leaning_ns;
  clear_ratios += other.clear_ratios;
  leaning_ratios += other.leaning_ratios;
  clear_steps.insert(clear_steps.end(), other.clear_steps.begin(), other.clear_steps.end());
}

ComparedRanks compare_ranks(RankReduction reduction, const knowledge::FleetRules& rules) {
  ComparedRanks shown;
  shown.ranks = std::move(reduction.ranks);
  shown.collectives = reduction.collectives;
  shown.fleet.steps = reduction.steps.size();
  derive::ranks::FleetEvidence evidence;
  evidence.ranks.resize(shown.ranks.size());
  for (const RankHits& one : reduction.hits) {
    if (const auto at = index_of(shown.ranks, one.rank)) evidence.ranks[*at] = {evidence_of(one.late, reduction.steps), one.waited_ns};
  }
  for (const GroupOfRanks& group : reduction.groups) {
    GroupEvidence& one = evidence.groups[shown.words.add(group.members)];
    for (const std::int64_t rank : group.ranks) {
      if (const auto at = index_of(shown.ranks, rank)) one.ranks.push_back(*at);
    }
    std::ranges::sort(one.ranks);
  }
  for (const GroupHits& hits : reduction.transfers) {
    const auto found = evidence.groups.find(shown.words.find(hits.members));
    if (found == evidence.groups.end()) continue;
    found->second.slow = evidence_of(hits.slow, reduction.steps);
    found->second.transfer_ns = hits.transfer_ns;
    found->second.steps = hits.steps;
    found->second.collectives = hits.collectives;
    shown.fleet.collectives += hits.collectives;
  }
  shown.fleet.together = shown.fleet.collectives;
  derive::ranks::conclude(evidence, shown.ranks, rules, shown.fleet);
  return shown;
}

std::vector<std::int64_t> numbers_in(std::string_view list) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view text : split(list, ',')) {
    std::int64_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc()) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace frx::history
