// What a tuning says about its families of candidates: each full trial tests the prediction that its actions help against the bottleneck.
#pragma once

#include "report/prediction_scores.h"
#include "report/tune/tune_report.h"

namespace frx::report {

// One prediction a full trial that ran: the throughput rises by at least min_speedup. Its card is "tune_" with the types of its actions,
// its label the focus, and in place of a kernel stands the configuration. A trial that failed, or is inconclusive, has the outcome
// cannot_tell. Texts point into the report.
PredictionScores tuning_predictions(const TuneReport& report);

}  // namespace frx::report
