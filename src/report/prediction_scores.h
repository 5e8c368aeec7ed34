// The predictions of the advice about the first profile, compared with the second.
//
// The kernel of a card is found on the other side by its full name, by its short one, or as the one that is left over on both sides
// (derive/compare/kernel_pairs.h). It is unknown whether the card was applied: a prediction that held is no proof that it was, and one that
// did not hold is no proof that the card is wrong.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "advise/prediction.h"
#include "report/report.h"

namespace frx::report {

struct ScoredPrediction {
  std::string card, title, label;    // the recommendation, and the bottleneck it is for
  std::string kernel, kernel_after;  // full names
  advise::Prediction prediction;
  std::optional<double> before, after;  // of one launch where the reading is a sum
  advise::Score score;
};

// A card without a prediction that could be compared.
struct UnscoredCard {
  std::string card, title, kernel;
  std::string why;
};

struct PredictionScores {
  std::vector<ScoredPrediction> scored;  // in the order of the advice
  std::vector<UnscoredCard> unscored;

  std::size_t count(advise::Outcome outcome) const;
  bool empty() const { return scored.empty() && unscored.empty(); }
};

// `time_floor`: the share of a kernel's time up to which a difference is noise. Texts of the result point into the catalogue of `before`.
PredictionScores score_predictions(const NcuReport& before, const NcuReport& after, double time_floor);

}  // namespace frx::report
