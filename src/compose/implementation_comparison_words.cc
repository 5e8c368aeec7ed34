#include "compose/implementation_comparison_words.h"

#include "base/text.h"
#include "base/units.h"

namespace frx::compose {

using report::Change;
using report::DimensionScore;
using report::FindingChange;
using report::Implementation;
using report::ImplementationComparison;
using report::NumberRow;
using report::Side;
using Basis = report::ImplementationVerdict::Basis;

std::string verdict_sentence(const ImplementationComparison& c) {
  const bool second_won = c.verdict.winner == Side::second;
  const std::string winner = second_won ? fmt::format("B ({})", c.second.label) : fmt::format("A ({})", c.first.label);
  const std::string scores = c.scores.first ? fmt::format("score of B {:.3f}, of A {:.3f}", *c.scores.second, *c.scores.first) : "";
  switch (c.verdict.basis) {
    case Basis::nothing: return "One cannot tell: no evidence of the same kind on both sides.";
    case Basis::kernel_time:
      return c.verdict.winner == Side::neither ? "Tie: the kernels take as long on both sides."
                                               : fmt::format("{} is faster, by kernel time.", winner);
    case Basis::scorecard: break;
  }
  if (c.verdict.winner == Side::neither)
    return fmt::format("Tie: {}, less than {:g} apart. There is no kernel time of both sides.", scores, c.card->tie_band);
  return fmt::format("{} is better: {}. There is no kernel time of both sides, so this is by the evidence below.", winner, scores);
}

std::string layers_of(const Implementation& side) {
  std::vector<std::string> layers;
  if (side.has_source()) layers.emplace_back("source");
  if (side.has_ptx()) layers.emplace_back("PTX");
  if (side.has_ncu()) layers.emplace_back("Nsight Compute");
  return layers.empty() ? "no kernel found" : join(layers, ", ");
}

std::string score_text(const std::optional<double>& score) { return score ? fmt::format("{:.2f}", *score) : "-"; }

std::string_view evidence_words(const DimensionScore& score) {
  return score.layer == "ncu" ? "Nsight Compute" : score.layer == "ptx" ? "PTX" : score.layer == "source" ? "source" : "unknown";
}

std::string places_text(const FindingChange& change) {
  if (change.change() != Change::persistent || change.first_places == change.second_places) return "";
  return fmt::format(", {} -> {} places", change.first_places, change.second_places);
}

const model::CodeFinding& finding_of(const FindingChange& change) {
  return change.change() == Change::resolved ? *change.first : *change.second;
}

std::string value_text(const std::optional<double>& value, std::string_view unit) {
  if (!value) return "-";
  if (unit == "byte") return format_quantity(*value, unit);
  if (unit == "us") return format_quantity(*value * 1e3, "ns");
  return fmt::format("{:.4g}{}", *value, unit == "%" ? " %" : "");
}

bool tells(const NumberRow& row) { return row.first.value_or(0) != 0 || row.second.value_or(0) != 0; }

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

}  // namespace frx::compose
