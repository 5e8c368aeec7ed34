// Which predictions of the first profile's advice came true in the second: for a terminal, as JSON, as Markdown.
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "compose/style.h"
#include "report/prediction_scores.h"

namespace frx::compose {

// "" without advice that predicts anything. Begins with an empty line.
std::string prediction_scores_text(const report::PredictionScores& scores, const Style& style);
std::string prediction_scores_markdown(const report::PredictionScores& scores);
// {"held": 2, ..., "scored": [prediction_v1 ...], "not_scored": [...], "note": ...}.
Json prediction_scores_json(const report::PredictionScores& scores);
// One prediction: `prediction_v1`, of which a ledger has one a line.
Json scored_prediction_json(const report::ScoredPrediction& one);

// "3 held, 1 not held, 2 one cannot tell"; the kinds that do not occur are left out.
std::string counts_of_outcomes(std::size_t held, std::size_t not_held, std::size_t other_way, std::size_t cannot_tell);

}  // namespace frx::compose
