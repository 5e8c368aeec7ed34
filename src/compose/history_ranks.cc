// Late ranks and nodes, and slow links, of a run whose collectives a store compared (history_ranks_v1).

#include "base/text.h"
#include "compose/answer_with.h"
#include "compose/fleet_words.h"
#include "compose/history.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using answer::unless_empty;
using answer::when;
using history::ComparedRanks;

std::string headline_of(const ComparedRanks& shown) {
  const std::size_t late = late_ranks(shown.fleet).size(), nodes = shown.fleet.nodes.size(), links = shown.fleet.links.size();
  const std::string ranks = count_text(shown.ranks.size(), "rank");
  std::string text =
      late == 0 ? fmt::format("none of {} comes late in more steps than chance explains", ranks)
                : fmt::format("{} of {} {} late by work of {} own", late, ranks, late == 1 ? "comes" : "come", late == 1 ? "its" : "their");
  if (nodes > 0) text += fmt::format(", with {}", count_text(nodes, "late node"));
  if (links > 0) text += fmt::format("; {}", count_text(links, "slow link"));
  return text;
}

Document ranks_page(const ComparedRanks& shown) {
  const FleetView view(shown);
  Document page;
  page.headline = headline_of(shown);
  page.title("FRX history ranks", shown.store);
  page.fact("Run", printable(shown.run), 12);
  page.fact("Ranks", fmt::format("{}, {}", shown.ranks.size(), count_text(shown.fleet.steps, "step")), 12);
  page.fact("Collectives", count_text(shown.collectives, "call"), 12);
  if (const std::string groups = groups_text(view); !groups.empty()) page.fact("Groups", groups, 12);
  page.blank();
  page.paragraph(page.headline);
  add_late(page, view);
  add_slow_links(page, view);
  return page;
}

void put_ranks(JsonObject& out, const ComparedRanks& shown) {
  const FleetView view(shown);
  const derive::ranks::Fleet& fleet = shown.fleet;
  out.add("schema", "history_ranks_v1", "store", shown.store, "run", shown.run, "ranks", shown.ranks.size(), "steps", fleet.steps,
          "steps_needed", when(fleet.steps_needed < UINT64_MAX, fleet.steps_needed), "collectives", shown.collectives);
  out.list("late", late_ranks(fleet), [&](JsonObject& one, std::size_t i) {
    one.add("rank", view.numbers[i], "node", unless_empty(view.nodes[i]), "with_its_node", fleet.ranks[i].by_node);
    put_record(one, fleet.ranks[i].late);
    one.add("waited_ns", static_cast<std::int64_t>(fleet.ranks[i].waited_ns));
  });
  put_late_nodes(out, view);
  put_slow_links(out, view);
  put_group_roles(out, view);
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const ComparedRanks> ranks) {
  return answer_with("the late ranks of a run", "history_ranks", std::move(ranks), ranks_page, put_ranks);
}

}  // namespace frx::compose
