#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "compose/fleet_words.h"
#include "compose/ranks_words.h"

namespace frx::compose {
namespace {

using report::FleetReport;

std::string fleet_size(const FleetReport& report) {
  std::set<std::string_view> nodes;
  for (const model::RankHead& head : report.heads) nodes.insert(head.node);
  std::string text = report.world_size ? fmt::format("{} of {}", report.heads.size(), *report.world_size)
                                       : fmt::format("{}, of a world whose size is not said", report.heads.size());
  if (nodes.contains("")) return text + "; their nodes are not known (frx summarise --node)";
  return text + fmt::format(", on {}", count_text(nodes.size(), "node"));
}

std::string fleet_gpus(const FleetReport& report) {
  std::map<std::string_view, std::size_t> gpus;
  for (const model::RankHead& head : report.heads) {
    if (!head.gpu.empty()) ++gpus[head.gpu];
  }
  std::vector<std::string> words;
  for (const auto& [name, count] : gpus) words.push_back(fmt::format("{} x {}", count, printable(name)));
  return join(words, ", ");
}

void add_fleet_head(Document& page, const FleetReport& report) {
  const FleetView view(report);
  page.headline = primary_words(report.scope);
  page.title("FRX fleet analysis");
  page.fact("Summaries", as_name(report.source));
  page.fact("Ranks", fleet_size(report));
  if (!report.missing.empty()) page.fact("Missing", gaps_text(report.missing) + ": whether one of them is late cannot be seen");
  if (const std::string gpus = fleet_gpus(report); !gpus.empty()) page.fact("GPU", gpus);
  page.fact("Steps", fmt::format("{} that most ranks have, {} each", report.fleet.steps, format_quantity(report.fleet.step_ns, "ns")));
  page.fact("Collectives",
            fmt::format("{} matched by group and order; {} ended together", report.fleet.collectives, report.fleet.together));
  if (const std::string groups = groups_text(view); !groups.empty()) page.fact("Groups", groups);
  if (report.fleet.collectives > 0) page.fact("Clocks", clocks_text(view));
}

std::string whose_answer(const FleetReport& report) {
  const std::int64_t rank = *report.heads[report.answering].rank;
  std::vector<std::string> says;
  for (const auto& [label, count] : report.labels)
    says.push_back(fmt::format("{} ({})", label.empty() ? "nothing" : label, count_text(count, "rank")));
  const std::string who =
      report::costliest(report.fleet)
          ? fmt::format("The answer of rank {}, the late one that costs the others most: what slows it down slows down the run.", rank)
          : fmt::format("The answer of rank {}, the one with the middle step time.", rank);
  return fmt::format("{} Looked at alone, the recordings say: {}.", who, join(says, "; "));
}

}  // namespace

Document document_of(const FleetReport& report) {
  const FleetView view(report);
  Document page;
  add_fleet_head(page, report);
  add_late(page, view);
  if (report.fleet.mismatches > 0) {
    page.paragraph(fmt::format("{} of collectives differ and are not compared: {}.", count_text(report.fleet.mismatches, "sequence"),
                               report.fleet.first_mismatch));
  }
  add_slow_links(page, view);
  add_run_verdict(page, report.scope);
  page.hanging("- ", whose_answer(report));
  add_framework_tax(page, report.scope);
  add_breakdown(page, *report.trace, report.trace->scope().skipped, fmt::format("rank {}", *report.heads[report.answering].rank));
  add_run_recommendations(page, report.scope);
  add_notes(page, report.notes);
  return page;
}

}  // namespace frx::compose
