// The late ranks of a run that a store compared (history_ranks_v1).

#include "base/text.h"
#include "base/units.h"
#include "compose/answer_with.h"
#include "compose/fleet_words.h"
#include "compose/history.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using answer::unless_empty;
using history::LateRanks;

std::string headline_of(const LateRanks& shown, std::size_t late) {
  if (late > 0)
    return fmt::format("{} of {} {} late by work of {} own", late, count_text(shown.ranks, "rank"), late == 1 ? "comes" : "come",
                       late == 1 ? "its" : "their");
  return fmt::format("none of {} comes late in more steps than chance explains", count_text(shown.ranks, "rank"));
}

Document ranks_page(const LateRanks& shown) {
  const std::vector<LateRanks::One> late = shown.late();
  Document page;
  page.headline = headline_of(shown, late.size());
  page.title("FRX history ranks", shown.store);
  page.fact("Run", printable(shown.run), 12);
  page.fact("Ranks", fmt::format("{}, {}", shown.ranks, count_text(shown.steps, "step")), 12);
  page.fact("Collectives", count_text(shown.collectives, "call"), 12);
  page.blank();
  page.paragraph(page.headline);
  if (shown.steps_needed > shown.steps)
    page.paragraph(fmt::format("{} are needed to tell a late rank from chance.", count_text(shown.steps_needed, "step")));
  if (late.empty()) return page;
  page.section(fmt::format("Late ranks ({})", late.size()));
  Table table{.columns = {{"rank", 6, true}, {"late by", 10, true}, {"in", 22, false, 2}, names_column("node")}};
  for (const LateRanks::One& one : late)
    table.add({fmt::format("{}", one.rank), format_quantity(one.late.excess_ns, "ns"), of_steps(one.late), printable(one.node)});
  page.add(std::move(table));
  return page;
}

void put_ranks(JsonObject& out, const LateRanks& shown) {
  out.add("schema", "history_ranks_v1", "store", shown.store, "run", shown.run, "ranks", shown.ranks, "steps", shown.steps, "collectives",
          shown.collectives);
  out.list("late", shown.late(), [](JsonObject& one, const LateRanks::One& rank) {
    one.add("rank", rank.rank, "node", unless_empty(rank.node));
    put_record(one, rank.late);
    one.add("waited_ns", static_cast<std::int64_t>(rank.waited_ns));
  });
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const LateRanks> ranks) {
  return answer_with("the late ranks of a run", "history_ranks", std::move(ranks), ranks_page, put_ranks);
}

}  // namespace frx::compose
