// The scores of two implementations in each dimension, and their evidence.
//
// A dimension is compared by the first layer that both sides have. Evidence that only one side has scores nothing, because a side without
// evidence is unknown and not bad. Weights and penalties come from data/compare/scorecard.yaml.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/scorecard.h"
#include "report/finding_changes.h"
#include "report/layer_diffs.h"

namespace frx::report {

struct DimensionScore {
  const knowledge::ScoreDimension* dimension = nullptr;
  std::string_view layer;               // "source", "ptx", "ncu": the layer of both scores, "" without one
  std::optional<double> first, second;  // 0 to 1; both or none
  std::vector<std::string> reasons;     // the changes: "L1 hit rate 20 -> 80 %"

  bool is_comparable() const { return first && second; }
  // Absent when not comparable; neither within the tie band.
  std::optional<Side> winner(double tie_band) const;
};

struct ScoredImplementations {
  std::vector<DimensionScore> dimensions;  // in the order of docs/contract.md
  std::optional<double> first, second;     // weighted means over the comparable ones, absent without one
};

// `source` and `ptx` are null where a side lacks the layer.
ScoredImplementations score(const Implementation& first, const Implementation& second, const FindingChanges* source,
                            const FindingChanges* ptx, const LayerDiff& ncu, const knowledge::Scorecard& card);

}  // namespace frx::report
