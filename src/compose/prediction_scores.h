// Which predictions of the first profile's advice came true in the second: as blocks and as JSON.
#pragma once

#include <string>

#include "answer/json_object.h"
#include "compose/parts.h"
#include "report/prediction_scores.h"

namespace frx::compose {

// Nothing without advice that predicts anything.
void add_prediction_scores(Document& page, const report::PredictionScores& scores);
// {"held": 2, ..., "scored": [prediction_v1 ...], "not_scored": [...], "note": ...}.
void put_prediction_scores(answer::JsonObject& out, const report::PredictionScores& scores);
// One prediction: `prediction_v1`, of which a ledger has one a line.
void put_scored_prediction(answer::JsonObject& out, const report::ScoredPrediction& one);

}  // namespace frx::compose
