#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "compose/figures.h"
#include "compose/fleet_words.h"
#include "compose/ranks_words.h"

namespace frx::compose {
namespace {

using derive::ranks::Matched;
using model::RunFact;
using report::RankOfRun;
using report::RanksReport;

constexpr std::size_t ranks_shown = 16, collectives_shown = 3;

std::string gpus_text(const RanksReport& report) {
  std::vector<std::pair<std::string, int>> names;
  for (const RankOfRun& one : report.ranks) {
    const std::string name = one.trace->gpu_names();
    const auto known = std::ranges::find(names, name, &std::pair<std::string, int>::first);
    known == names.end() ? void(names.emplace_back(name, 1)) : void(++known->second);
  }
  std::vector<std::string> words;
  for (const auto& [name, count] : names) {
    if (!name.empty()) words.push_back(count > 1 ? fmt::format("{} x {}", count, name) : name);
  }
  return join(words, ", ");
}

std::string steps_text(const RanksReport& report) {
  const report::TraceReport& trace = *report.ranks[report.answering].trace;
  if (!trace.has_step_boundaries()) return "none marked; each recording counts as one";
  std::string text =
      fmt::format("{} on every rank ({})", count_text(report.matching.steps, "step"), printable(trace.processes.front().name));
  if (trace.scope().skipped > 0) text += fmt::format(", without the first {}: warming up", trace.scope().skipped);
  return text;
}

std::string collectives_text(const RanksReport& report) {
  const auto& matching = report.matching;
  if (matching.collectives.empty()) return "none matched";
  const bool described = std::ranges::all_of(report.ranks, [](const RankOfRun& one) { return one.collectives.described; });
  return fmt::format("{} matched by {} and order; {} ended together", matching.collectives.size(),
                     described ? "operation, size, group" : "kernel name, stream", matching.together);
}

void add_head(Document& page, const RanksReport& report) {
  page.headline = primary_words(report.scope);
  page.title("FRX ranks analysis");
  page.fact("Traces", as_name(report.source));
  page.fact("Ranks", who_is_here(report));
  if (!report.missing.empty()) page.fact("Missing", gaps_text(report.missing) + ": whether one of them is late cannot be seen");
  if (const std::string gpus = gpus_text(report); !gpus.empty()) page.fact("GPU", gpus);
  page.fact("Steps", steps_text(report));
  page.fact("Collectives", collectives_text(report));
}

std::string share_text(const std::optional<double>& share) { return share ? fmt::format("{:.0f} %", 100 * *share) : "n/a"; }

void add_rank(Table& table, const RanksReport& report, std::size_t i) {
  const RankOfRun& one = report.ranks[i];
  const model::RunFacts& facts = one.trace->scope().facts;
  const auto& busy = facts[RunFact::gpu_busy_fraction];
  const bool compared = report.lateness.counted > 0;
  const auto& late = report.lateness.ranks[i];
  const std::optional<double> step = one.trace->step_time_ns();
  const auto waiting = [&](double share) { return compared ? share_text(share) : "n/a"; };
  const bool is_late = std::ranges::find(report.lateness.late, i) != report.lateness.late.end();
  table.add({std::to_string(one.rank), step ? format_quantity(*step, "ns") : "n/a", share_text(busy),
             share_text(facts[RunFact::communication_fraction]), busy ? share_text(1 - *busy) : "n/a", waiting(late.waited_share),
             waiting(late.held_up_share), one.trace->scope().diagnosis.user_facing},
            is_late ? Tone::red : Tone::plain);
}

// Those that answer the question first: late ones, then by number.
std::vector<std::size_t> ranks_to_show(const RanksReport& report) {
  std::vector<std::size_t> order = report.lateness.late;
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    if (std::ranges::find(report.lateness.late, i) == report.lateness.late.end()) order.push_back(i);
  }
  order.resize(std::min(order.size(), ranks_shown));
  std::ranges::sort(order);
  return order;
}

std::vector<const Matched*> most_waited_in(const RanksReport& report) {
  std::vector<const Matched*> list;
  for (const Matched& one : report.matching.collectives) {
    if (one.together) list.push_back(&one);
  }
  const auto spread = [&](const Matched* one) {
    const auto [shortest, longest] = std::ranges::minmax(report.matching.durations_of(*one));
    return longest - shortest;
  };
  const std::size_t kept = std::min(collectives_shown, list.size());
  std::ranges::partial_sort(list, list.begin() + static_cast<std::ptrdiff_t>(kept), std::ranges::greater{}, spread);
  list.resize(kept);
  return list;
}

void add_collectives(Document& page, const RanksReport& report) {
  if (report.lateness.with_waiting == 0 || report.lateness.verdict == derive::ranks::LateVerdict::not_together) return;
  page.blank();
  Table table{{number_column("shortest", 9), number_column("longest", 9, 2), number_column("last rank", 9, 2),
               words_column("where ranks waited longest", Fit::cut)}};
  for (const Matched* one : most_waited_in(report)) {
    const auto durations = report.matching.durations_of(*one);
    const auto [shortest, longest] = std::ranges::minmax_element(durations);
    const std::uint32_t last = report.matching.members[one->members][static_cast<std::size_t>(shortest - durations.begin())];
    table.add({format_quantity(static_cast<double>(*shortest), "ns"), format_quantity(static_cast<double>(*longest), "ns"),
               std::to_string(report.ranks[last].rank), fmt::format("step {}, #{}: {}", one->step, one->nth, report.words[one->what])});
  }
  page.add(std::move(table));
}

}  // namespace

void add_ranks(Document& page, const RanksReport& report) {
  const std::vector<std::size_t> shown = ranks_to_show(report);
  page.section("Ranks", shown.size(), report.ranks.size());
  Table table{{number_column("rank", 4), number_column("step time", 10, 1), number_column("busy", 6, 1), number_column("comm.", 6, 1),
               number_column("idle", 6, 1), number_column("waited", 7, 1), number_column("late", 6, 1),
               words_column("its own trace says", Fit::cut)}};
  for (const std::size_t i : shown) add_rank(table, report, i);
  page.add(std::move(table));
  page.blank();
  page.paragraph(
      "Shares of a step. comm.: collectives that no computing hides. waited: in collectives, hidden or not, for ranks that came later. "
      "late: how long the others, in the mean, waited for this rank.");
  page.section("Late ranks");
  page.paragraph(late_sentence(report));
  if (const std::string mismatch = mismatch_sentence(report); !mismatch.empty()) page.paragraph(mismatch);
  add_collectives(page, report);
  const FleetView fleet(report);
  if (!has_more_than_late_ranks(fleet)) return;
  add_late(page, fleet);
  add_slow_links(page, fleet);
}

void add_answer_from(Document& page, const RanksReport& report) {
  page.hanging("- ", answer_sentence(report));
  if (const std::string others = disagreement(report); !others.empty()) page.hanging("- ", others);
}

Document document_of(const RanksReport& report) {
  Document page;
  add_head(page, report);
  add_ranks(page, report);
  add_run_verdict(page, report.scope);
  add_answer_from(page, report);
  add_framework_tax(page, report.scope);
  const RankOfRun& answering = report.ranks[report.answering];
  add_breakdown(page, *answering.trace, answering.trace->scope().skipped, fmt::format("rank {}", answering.rank),
                report.lateness.ranks[report.answering].lost_share);
  add_figures(page, report);
  add_figures(page, *answering.trace, answering.trace->scope().skipped, fmt::format("rank {}", answering.rank));
  add_run_recommendations(page, report.scope);
  add_notes(page, report.notes);
  return page;
}

}  // namespace frx::compose
