#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "compose/code_findings.h"
#include "compose/documents.h"
#include "compose/implementation_comparison_words.h"
#include "compose/markdown.h"

namespace frx::compose {
namespace {

using report::Change;
using report::DimensionScore;
using report::FindingChange;
using report::Implementation;
using report::ImplementationComparison;
using report::LayerDiff;
using report::Side;

constexpr std::size_t findings_shown = 10;

std::string sides_table(const ImplementationComparison& c) {
  std::string text = markdown_head({"side", "file", "known of it"}, false);
  constexpr std::array<std::string_view, 2> letters = {"A", "B"};
  for (const Implementation* side : {&c.first, &c.second}) {
    const std::string letter(letters[side == &c.second]);
    const bool says_more = side->label != letter && side->label != file_name_in(side->source);
    text += markdown_row({says_more ? letter + ": " + markdown_text(side->label) : letter, markdown_code(side->source), layers_of(*side)});
  }
  return text;
}

std::string list(std::string_view heading, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  std::string text = fmt::format("\n**{}**\n\n", heading);
  for (const std::string& sentence : sentences) text += fmt::format("- {}\n", markdown_text(sentence));
  return text;
}

std::string findings_list(const ImplementationComparison& c, Change which, std::string_view heading) {
  const std::vector<const FindingChange*> all = c.changes(which);
  if (all.empty()) return "";
  std::string text = fmt::format("\n**{}**\n\n", heading);
  for (const FindingChange* change : std::span(all).first(std::min(findings_shown, all.size()))) {
    const model::CodeFinding& finding = finding_of(*change);
    text += fmt::format("- {} {}{} at {}{}{}{}\n", to_upper(name_of(finding.severity)), markdown_code(finding.code),
                        change->kernel.empty() ? "" : " in " + markdown_code(change->kernel), markdown_code(place_text(finding.place)),
                        places_text(*change), change->is_comparable ? "" : ", not scored",
                        which == Change::appeared ? ": " + markdown_text(finding.message) : "");
  }
  if (all.size() > findings_shown) text += fmt::format("- and {} more\n", all.size() - findings_shown);
  return text;
}

std::string scorecard_table(const ImplementationComparison& c) {
  std::string text = "\n" + markdown_head({"scorecard (0 to 1)", "A", "B", "B - A", "weight", "evidence"});
  for (const DimensionScore& score : c.scores.dimensions) {
    text += markdown_row({std::string(score.dimension->display), score_text(score.first), score_text(score.second),
                          score.is_comparable() ? fmt::format("{:+.2f}", *score.second - *score.first) : "",
                          fmt::format("{:.0f} %", 100 * score.dimension->weight), std::string(evidence_words(score))});
  }
  return text;
}

std::string layer_table(std::string_view heading, const LayerDiff& diff) {
  if (!diff.is_available || std::ranges::none_of(diff.numbers, tells)) return "";
  std::string text = "\n" + markdown_head({std::string(heading), "A", "B", "better"});
  for (const report::NumberRow& row : diff.numbers) {
    if (!tells(row)) continue;
    const std::optional<Side> better = row.better();
    text += markdown_row({std::string(row.label), value_text(row.first, row.unit), value_text(row.second, row.unit),
                          better == Side::second  ? "B"
                          : better == Side::first ? "A"
                                                  : ""});
  }
  return text;
}

}  // namespace

std::string markdown_of(const ImplementationComparison& c) {
  std::string text = fmt::format("### frx: {}\n\n", markdown_text(verdict_sentence(c)));
  for (const std::string& reason : c.verdict.reasons) text += fmt::format("- {}\n", markdown_text(reason));
  if (!c.verdict.reasons.empty()) text += "\n";
  text += sides_table(c);
  text += findings_list(c, Change::resolved, "Resolved in B");
  text += findings_list(c, Change::appeared, "Regressions in B");
  text += findings_list(c, Change::persistent, "On both sides");
  text += scorecard_table(c);
  text += layer_table("PTX", c.ptx) + layer_table("Nsight Compute", c.ncu);
  std::vector<std::string> tradeoffs;
  for (const report::Tradeoff& one : c.tradeoffs) tradeoffs.push_back(one.message);
  text += list("Trade-offs", tradeoffs);
  text += list("Could not be had", failure_sentences(c));
  text += list("Still unknown", c.still_unknown);
  text += list("Notes", c.notes);
  return text;
}

}  // namespace frx::compose
