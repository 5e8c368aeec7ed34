#include <algorithm>
#include <span>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "compose/findings.h"

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
using Basis = report::ImplementationVerdict::Basis;

constexpr std::size_t tradeoffs_shown = 3;

// "source, PTX, Nsight Compute": what is known of a side.
std::string layers_of(const Implementation& side) {
  std::vector<std::string> layers;
  if (side.has_source()) layers.emplace_back("source");
  if (side.has_ptx()) layers.emplace_back("PTX");
  if (side.has_ncu()) layers.emplace_back("Nsight Compute");
  return layers.empty() ? "no kernel found" : join(layers, ", ");
}

std::string score_text(const std::optional<double>& score) { return score ? fmt::format("{:.2f}", *score) : "-"; }

// Which layer a score is made of.
std::string_view evidence_words(const DimensionScore& score) {
  return score.layer == "ncu" ? "Nsight Compute" : score.layer == "ptx" ? "PTX" : score.layer == "source" ? "source" : "unknown";
}

// ", 3 -> 1 places" of a finding that is on both sides, "" when nothing changed.
std::string places_text(const FindingChange& change) {
  if (change.change() != Change::persistent || change.first_places == change.second_places) return "";
  return fmt::format(", {} -> {} places", change.first_places, change.second_places);
}

// The finding on the side where it is; of one on both sides, where it is in the second.
const model::Finding& shown_finding(const FindingChange& change) {
  return change.change() == Change::resolved ? *change.first : *change.second;
}

std::string value_text(const std::optional<double>& value, std::string_view unit) {
  if (!value) return "-";
  if (unit == "byte") return format_quantity(*value, unit);
  if (unit == "us") return format_quantity(*value * 1e3, "ns");
  return fmt::format("{:.4g}{}", *value, unit == "%" ? " %" : "");
}

// Whether a row says anything: one that is unknown or 0 on both sides does not.
bool tells(const NumberRow& row) { return row.first.value_or(0) != 0 || row.second.value_or(0) != 0; }

// Why a layer could not be had, once for both sides when the reason is the same.
std::vector<std::string> failure_sentences(const ImplementationComparison& c) {
  std::vector<std::string> sentences;
  std::vector<bool> said(c.failures.size());
  for (std::size_t i = 0; i < c.failures.size(); ++i) {
    const report::EvidenceFailure& one = c.failures[i];
    std::string targets = one.target;
    for (std::size_t j = i + 1; j < c.failures.size(); ++j) {
      const report::EvidenceFailure& other = c.failures[j];
      if (other.layer != one.layer || other.step != one.step || other.reason != one.reason) continue;
      targets += " and " + other.target;
      said[j] = true;
    }
    if (!said[i])
      sentences.push_back(fmt::format("{} of {} ({}): {}", one.layer == "ncu" ? "profile" : "PTX", targets, one.step, one.reason));
  }
  return sentences;
}

void add_side(Document& page, std::string_view letter, const Implementation& side) {
  const bool says_more = side.label != letter && side.label != file_name_in(side.source);
  page.fact(letter, fmt::format("{}{} ({})", says_more ? side.label + ", " : "", side.source, layers_of(side)), 2);
}

void add_winner(Document& page, const ImplementationComparison& c) {
  const Side winner = c.verdict.winner;
  const Tone tone = winner == Side::second ? Tone::green : winner == Side::first ? Tone::red : Tone::yellow;
  page.section("Winner", answer::Part::verdict);
  page.paragraph(verdict_sentence(c), 2, tone);
  for (const std::string& reason : c.verdict.reasons) page.hanging("- ", reason, 4);
}

void add_scorecard(Document& page, const ImplementationComparison& c) {
  page.section("Scorecard", "(0 to 1)");
  Table table{{{"", 33},
               number_column("A", 7),
               number_column("B", 7),
               number_column("B - A", 8),
               number_column("weight", 8),
               words_column("evidence")}};
  for (const DimensionScore& score : c.scores.dimensions) {
    table.add({score.dimension->display, score_text(score.first), score_text(score.second),
               score.is_comparable() ? fmt::format("{:+.2f}", *score.second - *score.first) : "",
               fmt::format("{:.0f} %", 100 * score.dimension->weight), evidence_words(score)});
  }
  page.add(std::move(table));
}

void add_changes(Document& page, const ImplementationComparison& c, Change which, std::string_view heading, bool shows_message) {
  const std::vector<const FindingChange*> all = c.changes(which);
  if (all.empty()) return;
  const std::size_t shown = std::min(findings_shown, all.size());
  page.section(heading, shown, all.size());
  for (const FindingChange* change : std::span(all).first(shown)) {
    const model::Finding& finding = shown_finding(*change);
    const std::string severity(name_of(finding.severity));
    const Text where = change->kernel.empty() ? Text() : " [" + as_name(change->kernel, Fit::half) + "]";
    page.hanging(fmt::format("[{}] ", to_upper(severity)),
                 as_name(finding.id()) + where + " " + as_name(place_text(finding.place())) + places_text(*change) +
                     (change->is_comparable ? "" : ", not scored"),
                 2, tone_of_priority(severity));
    if (shows_message) page.paragraph(finding.message.view(), 4);
  }
}

// "Improved in B", "Regressed in B": dimensions and by how much.
void add_dimensions(Document& page, const ImplementationComparison& c, Side winner, std::string_view heading) {
  std::vector<std::string> lines;
  for (const DimensionScore& score : c.scores.dimensions) {
    if (score.winner(c.card->tie_band) == winner)
      lines.push_back(fmt::format("{} ({:+.2f})", score.dimension->display, *score.second - *score.first));
  }
  if (lines.empty()) return;
  page.section(heading);
  for (const std::string& line : lines) page.hanging(winner == Side::second ? "+ " : "- ", line);
}

void add_layer(Document& page, std::string_view heading, const LayerDiff& diff) {
  if (!diff.is_available || std::ranges::none_of(diff.numbers, tells)) return;
  page.section(heading);
  Table table{{{"", 28}, number_column("A", 14), number_column("B", 14), words_column("")}};
  for (const NumberRow& row : diff.numbers) {
    if (!tells(row)) continue;
    const std::optional<Side> better = row.better();
    table.add({row.label, value_text(row.first, row.unit), value_text(row.second, row.unit),
               better == Side::second  ? "B better"
               : better == Side::first ? "A better"
                                       : ""});
  }
  page.add(std::move(table));
  for (const report::TextRow& row : diff.texts) {
    if (row.first != row.second)
      page.hanging(pad_right(row.label, 28),
                   fmt::format("{} -> {}", row.first.empty() ? "-" : row.first, row.second.empty() ? "-" : row.second));
  }
}

void add_tradeoffs(Document& page, const ImplementationComparison& c) {
  if (c.tradeoffs.empty()) return;
  const std::size_t shown = std::min(tradeoffs_shown, c.tradeoffs.size());
  page.section("Trade-offs", shown, c.tradeoffs.size());
  for (const report::Tradeoff& one : std::span(c.tradeoffs).first(shown)) {
    page.hanging(fmt::format("[{}] ", to_upper(one.severity)), one.message, 2, tone_of_priority(one.severity));
    for (const std::string& evidence : one.evidence) page.paragraph(evidence, 4, Tone::dim);
  }
}

void add_causes(Document& page, std::string_view heading, const report::EvidenceReport& evidence) {
  if (evidence.reconciliation.diagnoses.empty()) return;
  page.section(heading);
  add_diagnoses(page, evidence);
}

void add_open_ends(Document& page, const ImplementationComparison& c) {
  add_list(page, "Could not be had", failure_sentences(c), answer::Part::closing);
  add_list(page, "Still unknown", c.still_unknown, answer::Part::closing);
  if (!c.hints.empty()) page.section("To know more", answer::Part::closing);
  for (const report::UpgradeHint& hint : c.hints) {
    page.paragraph(hint.flag, 2, Tone::bold);
    page.paragraph(hint.gain, 6);
  }
}

}  // namespace

std::string verdict_sentence(const ImplementationComparison& c) {
  const bool second_won = c.verdict.winner == Side::second;
  const std::string winner = second_won ? fmt::format("B ({})", c.second.label) : fmt::format("A ({})", c.first.label);
  const std::string scores = c.scores.first ? fmt::format("score of B {:.3f}, of A {:.3f}", *c.scores.second, *c.scores.first) : "";
  switch (c.verdict.basis) {
    case Basis::nothing: return "It is inconclusive which is better: no evidence of the same kind on both sides.";
    case Basis::kernel_time:
      return c.verdict.winner == Side::neither ? "Tie: the kernels take as long on both sides."
                                               : fmt::format("{} is faster, by kernel time.", winner);
    case Basis::scorecard: break;
  }
  if (c.verdict.winner == Side::neither)
    return fmt::format("Tie: {}, less than {:g} apart. There is no kernel time of both sides.", scores, c.card->tie_band);
  return fmt::format("{} is better: {}. There is no kernel time of both sides, so this is by the evidence below.", winner, scores);
}

Document document_of(const ImplementationComparison& c) {
  Document page;
  page.headline = verdict_sentence(c);
  page.title("FRX implementation comparison");
  add_side(page, "A", c.first);
  add_side(page, "B", c.second);
  add_winner(page, c);
  add_changes(page, c, Change::resolved, "Resolved in B", false);
  add_changes(page, c, Change::appeared, "Regressions in B", true);
  add_changes(page, c, Change::persistent, "On both sides", false);
  add_scorecard(page, c);
  add_dimensions(page, c, Side::second, "Improved in B");
  add_dimensions(page, c, Side::first, "Regressed in B");
  add_layer(page, "PTX", c.ptx);
  add_layer(page, "Nsight Compute", c.ncu);
  add_tradeoffs(page, c);
  add_causes(page, "Root causes in A", *c.first_evidence);
  add_causes(page, "Root causes left in B", *c.second_evidence);
  add_open_ends(page, c);
  add_missing_evidence(page, {c.first_evidence.get(), c.second_evidence.get()});
  add_notes(page, c.notes);
  return page;
}

}  // namespace frx::compose
