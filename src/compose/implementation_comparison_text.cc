#include <algorithm>
#include <span>

#include "base/text.h"
#include "compose/code_findings.h"
#include "compose/evidence.h"
#include "compose/implementation_comparison.h"
#include "compose/implementation_comparison_words.h"
#include "compose/page.h"

namespace frx::compose {
namespace {

using report::Change;
using report::DimensionScore;
using report::FindingChange;
using report::Implementation;
using report::ImplementationComparison;
using report::LayerDiff;
using report::NumberRow;
using report::Side;

constexpr std::size_t findings_shown = 10, tradeoffs_shown = 3;

void add_side(Page& page, std::string_view letter, const Implementation& side) {
  const bool says_more = side.label != letter && side.label != file_name_in(side.source);
  page.fact(letter, fmt::format("{}{} ({})", says_more ? side.label + ", " : "", side.source, layers_of(side)), 2);
}

void add_winner(Page& page, const ImplementationComparison& c) {
  const Side winner = c.verdict.winner;
  const Tone tone = winner == Side::second ? Tone::green : winner == Side::first ? Tone::red : Tone::yellow;
  page.section("WINNER");
  page.paragraph(verdict_sentence(c), 2, tone);
  for (const std::string& reason : c.verdict.reasons) page.hanging("- ", reason, 4);
}

void add_scorecard(Page& page, const ImplementationComparison& c) {
  page.section("SCORECARD (0 to 1)");
  page.raw(fmt::format("  {:<33}{:>7}{:>7}{:>8}{:>8}  {}", "", "A", "B", "B - A", "weight", "evidence"));
  for (const DimensionScore& score : c.scores.dimensions) {
    const std::string delta = score.is_comparable() ? fmt::format("{:+.2f}", *score.second - *score.first) : "";
    page.raw(fmt::format("  {:<33}{:>7}{:>7}{:>8}{:>8}  {}", score.dimension->display, score_text(score.first), score_text(score.second),
                         delta, fmt::format("{:.0f} %", 100 * score.dimension->weight), evidence_words(score)));
  }
}

void add_changes(Page& page, const ImplementationComparison& c, Change which, std::string_view heading, bool shows_message) {
  const std::vector<const FindingChange*> all = c.changes(which);
  if (all.empty()) return;
  const std::size_t shown = std::min(findings_shown, all.size());
  page.section(heading, shown, all.size());
  for (const FindingChange* change : std::span(all).first(shown)) {
    const model::CodeFinding& finding = finding_of(*change);
    const std::string severity(name_of(finding.severity));
    const std::string where = change->kernel.empty() ? "" : fmt::format("  [{}]", clip(change->kernel, page.width() / 2));
    page.hanging(fmt::format("[{}] ", to_upper(severity)),
                 fmt::format("{}{} {}{}{}", finding.code, where, place_text(finding.place), places_text(*change),
                             change->is_comparable ? "" : ", not scored"),
                 2, tone_of_priority(severity));
    if (shows_message) page.paragraph(finding.message, 4);
  }
}

// "Improved in B", "Regressed in B": dimensions and by how much.
void add_dimensions(Page& page, const ImplementationComparison& c, Side winner, std::string_view heading) {
  std::vector<std::string> lines;
  for (const DimensionScore& score : c.scores.dimensions) {
    if (score.winner(c.card->tie_band) == winner)
      lines.push_back(fmt::format("{} ({:+.2f})", score.dimension->display, *score.second - *score.first));
  }
  if (lines.empty()) return;
  page.section(heading);
  for (const std::string& line : lines) page.hanging(winner == Side::second ? "+ " : "- ", line);
}

void add_layer(Page& page, std::string_view heading, const LayerDiff& diff) {
  if (!diff.is_available || std::ranges::none_of(diff.numbers, tells)) return;
  page.section(heading);
  page.raw(fmt::format("  {:<28}{:>14}{:>14}", "", "A", "B"));
  for (const NumberRow& row : diff.numbers) {
    if (!tells(row)) continue;
    const std::optional<Side> better = row.better();
    const std::string_view mark = better == Side::second ? "  B better" : better == Side::first ? "  A better" : "";
    page.raw(fmt::format("  {:<28}{:>14}{:>14}{}", row.label, value_text(row.first, row.unit), value_text(row.second, row.unit), mark));
  }
  for (const report::TextRow& row : diff.texts) {
    if (row.first != row.second)
      page.hanging(pad_right(row.label, 28),
                   fmt::format("{} -> {}", row.first.empty() ? "-" : row.first, row.second.empty() ? "-" : row.second));
  }
}

void add_tradeoffs(Page& page, const ImplementationComparison& c) {
  if (c.tradeoffs.empty()) return;
  const std::size_t shown = std::min(tradeoffs_shown, c.tradeoffs.size());
  page.section("TRADE-OFFS", shown, c.tradeoffs.size());
  for (const report::Tradeoff& one : std::span(c.tradeoffs).first(shown)) {
    page.hanging(fmt::format("[{}] ", to_upper(one.severity)), one.message, 2, tone_of_priority(one.severity));
    for (const std::string& evidence : one.evidence) page.paragraph(evidence, 4, Tone::dim);
  }
}

void add_causes(Page& page, std::string_view heading, const report::EvidenceReport& evidence) {
  if (evidence.reconciliation.diagnoses.empty()) return;
  page.section(heading);
  add_diagnoses(page, evidence);
}

void add_failures(Page& page, const ImplementationComparison& c) {
  const std::vector<std::string> failures = failure_sentences(c);
  if (!failures.empty()) page.section("COULD NOT BE HAD");
  for (const std::string& failure : failures) page.hanging("- ", failure);
}

void add_open_ends(Page& page, const ImplementationComparison& c) {
  add_failures(page, c);
  if (!c.still_unknown.empty()) page.section("STILL UNKNOWN");
  for (const std::string& unknown : c.still_unknown) page.hanging("- ", unknown);
  if (!c.hints.empty()) page.section("TO KNOW MORE");
  for (const report::UpgradeHint& hint : c.hints) {
    page.paragraph(hint.flag, 2, Tone::bold);
    page.paragraph(hint.gain, 6);
  }
}

void add_notes(Page& page, const ImplementationComparison& c) {
  if (!c.notes.empty()) page.section("NOTES");
  for (const std::string& note : c.notes) page.hanging("- ", note);
}

}  // namespace

std::string implementation_comparison_text(const ImplementationComparison& c, const Style& style) {
  Page page(style);
  page.title("FRX IMPLEMENTATION COMPARISON");
  add_side(page, "A", c.first);
  add_side(page, "B", c.second);
  add_winner(page, c);
  add_changes(page, c, Change::resolved, "RESOLVED IN B", false);
  add_changes(page, c, Change::appeared, "REGRESSIONS IN B", true);
  add_changes(page, c, Change::persistent, "ON BOTH SIDES", false);
  add_scorecard(page, c);
  add_dimensions(page, c, Side::second, "IMPROVED IN B");
  add_dimensions(page, c, Side::first, "REGRESSED IN B");
  add_layer(page, "PTX", c.ptx);
  add_layer(page, "NSIGHT COMPUTE", c.ncu);
  add_tradeoffs(page, c);
  add_causes(page, "ROOT CAUSES IN A", *c.first_evidence);
  add_causes(page, "ROOT CAUSES LEFT IN B", *c.second_evidence);
  add_open_ends(page, c);
  add_missing_evidence(page, {c.first_evidence.get(), c.second_evidence.get()});
  add_notes(page, c);
  return page.take();
}

}  // namespace frx::compose
