#include "report/tune/tune_predictions.h"

#include "base/text.h"

namespace frx::report {
namespace {

using advise::Outcome;
using derive::tune::Verdict;

std::string card_of(const TuneCandidate& candidate) {
  std::string card = "tune";
  for (const TuneAction& action : candidate.actions) card += "_" + action.type;
  return card;
}

advise::Score score_of_trial(const TuneTrial& trial, double before, double min_speedup) {
  advise::Score score;
  score.predicted = before * (1 + min_speedup);
  score.noise = trial.noise_band;
  switch (trial.verdict) {
    case Verdict::better: score.outcome = Outcome::held; break;
    case Verdict::below: score.outcome = Outcome::not_held; break;
    case Verdict::worse: score.outcome = Outcome::moved_the_other_way; break;
    case Verdict::inconclusive: score.why = "the interval of the speed-up allows a gain as well as none"; break;
    case Verdict::unusable: score.why = trial.guard_failures.empty() ? "the trial failed" : trial.guard_failures.front(); break;
  }
  return score;
}

}  // namespace

PredictionScores tuning_predictions(const TuneReport& report) {
  PredictionScores scores;
  for (const TuneTrial& trial : report.trials) {
    if (trial.stage != TuneStage::full || trial.was_skipped()) continue;
    const std::optional<double>& before = trial.by_samples ? report.baseline.samples_per_s : report.baseline.throughput;
    if (!before) continue;
    ScoredPrediction one;
    one.card = card_of(trial.candidate);
    one.title = trial.candidate.label;
    one.label = report.focus.empty() ? "none" : report.focus;
    one.kernel = one.kernel_after = trial.candidate.id;
    one.prediction.id = one.prediction.label = "throughput";
    one.prediction.unit = trial.by_samples ? "samples/s" : "steps/s";
    one.prediction.direction = advise::Direction::increase;
    one.prediction.by = report.settings.limits.min_speedup * 100;
    one.before = before;
    one.after = trial.by_samples ? trial.samples_per_s : trial.throughput;
    one.score = score_of_trial(trial, *before, report.settings.limits.min_speedup);
    scores.scored.push_back(std::move(one));
  }
  return scores;
}

}  // namespace frx::report
