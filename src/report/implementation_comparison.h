// Two implementations of the same work: which is better, why, what is still unknown, and how to find out.
//
// Kernel time decides when both sides have it; the scorecard explains. Otherwise the scorecard decides over the dimensions
// for which both sides have evidence. Exchanging the sides exchanges the answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/evidence.h"
#include "report/scorecard.h"

namespace frx::report {

// A layer that was requested and is not available.
struct EvidenceFailure {
  std::string layer;   // "ptx", "ncu"
  std::string target;  // label of the side
  std::string step;    // "compile", "run", "read"
  std::string reason;  // cause and remedy
};

struct ImplementationVerdict {
  enum class Basis : std::uint8_t { nothing, scorecard, kernel_time };

  Basis basis = Basis::nothing;  // nothing: no layer has evidence on both sides; there is no winner then
  Side winner = Side::neither;
  std::optional<double> first_us, second_us;  // kernel time, when both sides have one
  std::vector<std::string> reasons;           // strongest first
};

// One metric got better and another worse, or the answer has a caveat.
struct Tradeoff {
  std::string label;
  std::string_view severity;  // low, medium, high
  std::string message;
  std::vector<std::string> evidence;
};

struct UpgradeHint {
  std::string flag, gain;
};

struct ImplementationComparison {
  Implementation first, second;
  std::optional<FindingChanges> source_changes, ptx_changes;  // absent when a side lacks the layer
  LayerDiff source, ptx, ncu;
  ScoredImplementations scores;
  const knowledge::Scorecard* card = nullptr;
  ImplementationVerdict verdict;
  std::vector<Tradeoff> tradeoffs;
  std::vector<std::string> still_unknown;
  std::vector<UpgradeHint> hints;
  std::vector<EvidenceFailure> failures;
  std::unique_ptr<EvidenceReport> first_evidence, second_evidence;  // all layers of each side combined
  std::vector<std::string> notes;

  // Of both layers, source first, without remarks.
  std::vector<const FindingChange*> changes(Change change) const;
};

// The input of a comparison; `knowledge` outlives it.
struct ComparisonKnowledge {
  knowledge::Scorecard card;
  std::vector<knowledge::ReconciledDiagnosis> diagnoses;
  const knowledge::MetricCatalogue* metrics = nullptr;

  static Result<ComparisonKnowledge> load(const knowledge::Knowledge& knowledge);
};

// `known` outlives the result.
ImplementationComparison compare(Implementation first, Implementation second, const ComparisonKnowledge& known,
                                 std::vector<EvidenceFailure> failures = {});

}  // namespace frx::report
