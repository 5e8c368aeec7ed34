#include "compose/fleet_words.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/parts.h"
#include "compose/ranks_words.h"

namespace frx::compose {

using answer::Document;
using answer::Fit;
using answer::Table;
using derive::ranks::Fleet;
using derive::ranks::FleetLink;
using derive::ranks::FleetNode;
using derive::ranks::GroupRole;
using derive::ranks::Habit;
using derive::ranks::Record;

FleetView::FleetView(const report::RanksReport& report) : fleet(report.fleet), words(report.words) {
  for (const report::RankOfRun& one : report.ranks) {
    numbers.push_back(one.rank);
    nodes.push_back(one.node);
  }
}

FleetView::FleetView(const report::FleetReport& report) : fleet(report.fleet), words(report.words) {
  for (const model::RankHead& head : report.heads) {
    numbers.push_back(*head.rank);
    nodes.push_back(head.node);
  }
}

FleetView::FleetView(const history::ComparedRanks& ranks) : fleet(ranks.fleet), words(ranks.words) {
  for (const derive::ranks::FleetRank& one : ranks.ranks) {
    numbers.push_back(one.rank);
    nodes.push_back(one.node);
  }
}

namespace {

constexpr std::size_t fleet_rows_shown = 16, nodes_named = 4;

std::string counted(std::size_t always, std::size_t sometimes, std::string_view what) {
  std::vector<std::string> parts;
  if (always > 0) parts.push_back(fmt::format("{} all the time", count_text(always, what)));
  if (sometimes > 0) parts.push_back(fmt::format("{} at times", count_text(sometimes, what)));
  return join(parts, ", ");
}

std::string names_of(const std::vector<std::string>& nodes) {
  std::vector<std::string> shown;
  for (const std::string& node : nodes) {
    if (shown.size() < nodes_named) shown.push_back(printable(node));
  }
  if (nodes.size() > shown.size()) shown.push_back(fmt::format("{} more", nodes.size() - shown.size()));
  return join_with_and(shown);
}

std::string link_name(const FleetView& view, const FleetLink& link) {
  if (link.within_node) return "within " + names_of(link.nodes);
  if (link.nodes.size() == 1) return "of " + names_of(link.nodes);
  if (link.nodes.size() == 2) return "between " + names_of(link.nodes);
  if (!link.nodes.empty()) return fmt::format("of one of {} nodes: {}", link.nodes.size(), names_of(link.nodes));
  std::vector<std::int64_t> ranks;
  for (const std::uint32_t rank : view.fleet.groups[link.groups.front()].ranks) ranks.push_back(view.numbers[rank]);
  return "of one of " + ranks_text(std::move(ranks));
}

}  // namespace

std::vector<std::size_t> late_ranks(const Fleet& fleet) {
  std::vector<std::size_t> late;
  for (std::size_t i = 0; i < fleet.ranks.size(); ++i) {
    if (fleet.ranks[i].late.habit != Habit::none) late.push_back(i);
  }
  std::ranges::stable_sort(late, std::ranges::greater{}, [&](std::size_t i) { return fleet.ranks[i].late.cost_ns(); });
  return late;
}

std::string of_steps(const Record& record) {
  if (record.habit == Habit::always && record.hits == record.steps) return "every step";
  std::string text = fmt::format("{} of {}", record.hits, count_text(record.steps, "step"));
  if (record.period) text += fmt::format(", every {}", *record.period);
  return text;
}

std::string fleet_sentence(const FleetView& view) {
  const Fleet& fleet = view.fleet;
  if (fleet.collectives == 0) return "Who is late is not known: no collectives of two ranks were matched.";
  if (fleet.together * 2 < fleet.collectives) {
    return fmt::format(
        "Who is late is not known: of {} that have the same name and place only {} ended together, so they may not be the same ones.",
        count_text(fleet.collectives, "collective"), fleet.together);
  }
  std::size_t always = 0, sometimes = 0, node_always = 0, node_sometimes = 0;
  for (const derive::ranks::FleetRankResult& one : fleet.ranks) {
    always += one.late.habit == Habit::always && !one.by_node;
    sometimes += one.late.habit == Habit::sometimes && !one.by_node;
  }
  for (const FleetNode& node : fleet.nodes) (node.late.habit == Habit::always ? node_always : node_sometimes) += 1;
  std::vector<std::string> parts;
  for (std::string text : {counted(node_always, node_sometimes, "node"), counted(always, sometimes, "rank")}) {
    if (!text.empty()) parts.push_back(std::move(text));
  }
  if (!parts.empty()) {
    return fmt::format("Ranks wait {} of a step for others, in the mean. Late by work of their own: {}.",
                       share_of(fleet.waited_ns, fleet.step_ns), join(parts, "; "));
  }
  if (!fleet.enough_steps) {
    return fmt::format("Not enough steps: a rank that is late in each step can be told from chance among {} from {} on.",
                       count_text(fleet.ranks.size(), "rank"), count_text(fleet.steps_needed, "step"));
  }
  return fmt::format("No rank is late by its own work more often than chance explains. Ranks wait {} of a step for others, in the mean.",
                     share_of(fleet.waited_ns, fleet.step_ns));
}

void add_late(Document& page, const FleetView& view) {
  const Fleet& fleet = view.fleet;
  page.section("Late ranks and nodes");
  page.paragraph(fleet_sentence(view));
  std::vector<std::size_t> alone = late_ranks(fleet);
  std::erase_if(alone, [&](std::size_t i) { return fleet.ranks[i].by_node; });
  if (fleet.nodes.empty() && alone.empty()) return;
  page.blank();
  Table table{{number_column("late by", 9), number_column("of a step", 9, 2), answer::Column{"in", 22}, words_column("who", Fit::wrap)}};
  const auto add = [&](const Record& late, std::string who) {
    if (table.rows.size() < fleet_rows_shown)
      table.add({format_quantity(late.excess_ns, "ns"), share_of(late.excess_ns, fleet.step_ns), of_steps(late), std::move(who)});
  };
  for (const FleetNode& node : fleet.nodes)
    add(node.late, fmt::format("{} ({} of {})", printable(node.name), node.late_ranks, count_text(node.ranks.size(), "rank")));
  for (const std::size_t i : alone) {
    std::string who = fmt::format("rank {}", view.numbers[i]);
    if (!view.nodes[i].empty()) who += fmt::format(" on {}", printable(view.nodes[i]));
    add(fleet.ranks[i].late, std::move(who));
  }
  const std::size_t all = fleet.nodes.size() + alone.size(), shown = table.rows.size();
  page.add(std::move(table));
  if (shown < all) page.paragraph(fmt::format("{} more; --json has all of them.", all - shown));
  page.blank();
  page.paragraph(
      "late by: its own work between two collectives beyond that of the middle rank of the group, in the steps in which it is late; "
      "waiting "
      "for other ranks is not counted.");
}

void add_slow_links(Document& page, const FleetView& view) {
  const Fleet& fleet = view.fleet;
  if (fleet.links.empty()) return;
  page.section("Slow links", std::min(fleet_rows_shown, fleet.links.size()), fleet.links.size());
  page.paragraph(
      "These collectives take longer than the same ones of other groups, counted from the arrival of their last rank: no rank is the "
      "reason.");
  page.blank();
  Table table{{number_column("times", 6), number_column("of a step", 9, 2), answer::Column{"in", 22}, number_column("groups", 6, 2),
               words_column("which link", Fit::wrap)}};
  for (const FleetLink& link : std::span(fleet.links).first(std::min(fleet_rows_shown, fleet.links.size()))) {
    const auto cost = [&](std::size_t i) { return fleet.groups[i].slow.cost_ns(); };
    const Record& worst = fleet.groups[*std::ranges::max_element(link.groups, {}, cost)].slow;
    table.add({fmt::format("{:.2f}", worst.ratio), share_of(worst.excess_ns, fleet.step_ns), of_steps(worst),
               std::to_string(link.groups.size()), link_name(view, link)});
  }
  page.add(std::move(table));
}

std::string groups_text(const FleetView& view) {
  std::vector<std::string> parts;
  for (const derive::ranks::FleetRoles& role : view.fleet.roles) {
    const std::string size =
        role.least == role.most ? fmt::format("{} ranks", role.least) : fmt::format("{} to {} ranks", role.least, role.most);
    parts.push_back(role.role == GroupRole::everyone ? fmt::format("{} of all ranks", role.groups)
                    : role.role == GroupRole::other  ? fmt::format("{} others of {}", role.groups, size)
                                                     : fmt::format("{} {} of {}", role.groups, name_of(role.role), size));
  }
  return join(parts, ", ");
}

std::string clocks_text(const FleetView& view) {
  const derive::ranks::FleetClocks& clocks = view.fleet.clocks;
  const std::string drift = fmt::format("drift by up to {:.3g} ppm", clocks.drift_ppm);
  if (!clocks.offset_ns) return drift + "; their times of day are not recorded";
  return fmt::format("up to {} from the middle one of their group, {}", format_quantity(*clocks.offset_ns, "ns"), drift);
}

bool has_more_than_late_ranks(const FleetView& view) {
  const bool at_times = std::ranges::any_of(view.fleet.ranks, [](const auto& one) { return one.late.habit == Habit::sometimes; });
  return at_times || !view.fleet.nodes.empty() || !view.fleet.links.empty();
}

}  // namespace frx::compose
