#include <algorithm>

#include "compose/fleet_words.h"
#include "compose/payloads.h"

namespace frx::compose {
namespace {

using derive::ranks::Fleet;
using derive::ranks::FleetGroup;
using derive::ranks::FleetLink;
using derive::ranks::FleetNode;
using derive::ranks::Habit;
using derive::ranks::Record;

std::int64_t whole_ns(double value) { return static_cast<std::int64_t>(value); }

void put_late_rank(JsonObject& out, const FleetView& view, std::size_t i) {
  out.add("rank", view.numbers[i], "node", unless_empty(std::string(view.nodes[i])), "with_its_node", view.fleet.ranks[i].by_node);
  put_record(out, view.fleet.ranks[i].late);
}

void put_node(JsonObject& out, const FleetView& view, const FleetNode& node) {
  std::vector<std::int64_t> ranks;
  for (const std::size_t i : node.ranks) ranks.push_back(view.numbers[i]);
  out.add("node", node.name, "ranks", ranks, "late_ranks", node.late_ranks);
  put_record(out, node.late);
}

void put_group(JsonObject& out, const FleetView& view, const FleetGroup& group) {
  std::vector<std::int64_t> ranks;
  for (const std::uint32_t i : group.ranks) ranks.push_back(view.numbers[i]);
  out.add("group", view.words[group.group], "role", name_of(group.role), "ranks", ranks, "transfer_ns", whole_ns(group.transfer_ns),
          "times", group.slow.ratio);
  put_record(out, group.slow);
}

void put_link(JsonObject& out, const FleetView& view, const FleetLink& link) {
  out.add("nodes", link.nodes, "within_node", link.within_node);
  out.list("groups", link.groups, [&](JsonObject& inner, std::size_t i) { put_group(inner, view, view.fleet.groups[i]); });
}

}  // namespace

void put_record(JsonObject& out, const Record& record) {
  out.add("habit", record.habit == Habit::always ? "always" : "sometimes", "steps", record.steps, "steps_so", record.hits, "share",
          record.share(), "excess_ns", whole_ns(record.excess_ns), "every_steps", record.period);
}

void put_late_nodes(JsonObject& out, const FleetView& view) {
  out.list("late_nodes", view.fleet.nodes, [&](JsonObject& inner, const FleetNode& node) { put_node(inner, view, node); });
}

void put_slow_links(JsonObject& out, const FleetView& view) {
  out.list("slow_links", view.fleet.links, [&](JsonObject& inner, const FleetLink& link) { put_link(inner, view, link); });
}

void put_group_roles(JsonObject& out, const FleetView& view) {
  out.list("groups", view.fleet.roles, [](JsonObject& inner, const derive::ranks::FleetRoles& role) {
    inner.add("role", name_of(role.role), "groups", role.groups, "least_ranks", role.least, "most_ranks", role.most, "transfer_ns",
              whole_ns(role.transfer_ns));
  });
}

void put_fleet(JsonObject& out, const FleetView& view) {
  const Fleet& fleet = view.fleet;
  std::vector<std::size_t> late = late_ranks(fleet);
  std::ranges::sort(late);
  out.add("steps_compared", fleet.steps, "steps_needed", when(fleet.steps_needed < UINT64_MAX, fleet.steps_needed), "enough_steps",
          fleet.enough_steps, "step_time_ns", whole_ns(fleet.step_ns), "waited_ns", whole_ns(fleet.waited_ns), "noise_ns",
          whole_ns(fleet.noise_ns), "collectives_matched", fleet.collectives, "collectives_ended_together", fleet.together,
          "sequences_that_differ", fleet.mismatches, "first_difference", unless_empty(fleet.first_mismatch));
  put_late_nodes(out, view);
  out.list("late_ranks", late, [&](JsonObject& inner, std::size_t i) { put_late_rank(inner, view, i); });
  put_slow_links(out, view);
  put_group_roles(out, view);
  out.object("clocks", [&](JsonObject& inner) {
    inner.add("largest_offset_ns", fleet.clocks.offset_ns ? std::optional(whole_ns(*fleet.clocks.offset_ns)) : std::nullopt,
              "largest_drift_ppm", fleet.clocks.drift_ppm);
  });
}

void put_fleet_report(JsonObject& out, const report::FleetReport& report) {
  std::vector<std::string_view> nodes;
  for (const model::RankHead& head : report.heads) {
    if (!head.node.empty()) nodes.push_back(head.node);
  }
  std::ranges::sort(nodes);
  const auto again = std::ranges::unique(nodes);
  nodes.erase(again.begin(), again.end());
  out.add("schema", "fleet_analysis_v1", "source", report.source, "world_size", report.world_size, "rank_count", report.heads.size(),
          "node_count", when(!nodes.empty(), nodes.size()));
  out.list("missing_ranks", report.missing, [](JsonObject& inner, const auto& gap) { inner.add("first", gap.first, "last", gap.second); });
  out.object("run", [&](JsonObject& inner) {
    put_scope_name(inner, report.scope);
    inner.add("step_count", report.scope.step_numbers.size(), "rank", *report.heads[report.answering].rank, "rule",
              report::costliest(report.fleet) ? "costliest_late_rank" : "middle_step_time");
    put_facts(inner, report.scope.facts);
    put_run_verdict(inner, report.scope);
  });
  out.object("fleet", [&](JsonObject& inner) { put_fleet(inner, FleetView(report)); });
  out.list("labels", report.labels,
           [](JsonObject& inner, const auto& label) { inner.add("label", unless_empty(label.first), "ranks", label.second); });
  out.add("notes", report.notes);
}

}  // namespace frx::compose
