#include "analyse/tune/tune_trials.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "report/tune/candidates.h"

namespace frx::analyse {
namespace {

using derive::tune::RunRequest;
using derive::tune::Stage;
using derive::tune::Standing;
using report::TuneCandidate;
using report::TuneStage;
using report::TuneTrial;

TuneStage stage_of(const RunRequest& request) { return request.stage == Stage::race ? TuneStage::race : TuneStage::full; }

std::string decision_on(const TuneTrial& trial, bool was_promoted) {
  if (was_promoted) return "promoted to full benchmark";
  return trial.passed_guards() ? "screened out by quicker candidates" : "screened out by race guard failure";
}

}  // namespace

const TuneCandidate& TuneTrials::candidate_of(const RunRequest& request) const {
  return request.configuration ? pool_[*request.configuration] : report_.baseline.candidate;
}

const TuneTrial& TuneTrials::baseline_for(TuneStage stage) const { return stage == TuneStage::race ? race_baseline_ : report_.baseline; }

TuneTrial& TuneTrials::trial_of(const RunRequest& request) {
  if (!request.configuration) return report_.baseline;
  const TuneCandidate& candidate = candidate_of(request);
  const auto found = std::ranges::find_if(report_.trials, [&](const TuneTrial& trial) {
    return trial.stage == stage_of(request) && !trial.was_skipped() && trial.candidate.id == candidate.id;
  });
  if (found != report_.trials.end()) return *found;
  TuneTrial trial;
  trial.candidate = candidate;
  trial.stage = stage_of(request);
  trial.window = trial.stage == TuneStage::race ? report_.settings.race_window : report_.settings.window;
  trial.is_eligible = trial.stage == TuneStage::full;
  report_.trials.push_back(std::move(trial));
  return report_.trials.back();
}

TuneTrial& TuneTrials::add(const RunRequest& request, report::TuneRun run) {
  TuneTrial& trial = trial_of(request);
  trial.runs.push_back(std::move(run));
  fill_in(trial);
  if (request.configuration) judge_trial(trial, baseline_for(trial.stage), report_.settings.limits);
  return trial;
}

void TuneTrials::add_repeated(const RunRequest& request, report::TuneRun run) { trial_of(request).repeated.push_back(std::move(run)); }

void TuneTrials::add_skipped(const TuneCandidate& candidate, std::vector<std::string> reasons) {
  TuneTrial trial;
  trial.candidate = candidate;
  trial.window = report_.settings.window;
  trial.exit_code = report::skipped_exit;
  trial.verdict = derive::tune::Verdict::unusable;
  trial.guard_failures = std::move(reasons);
  report_.trials.push_back(std::move(trial));
}

void TuneTrials::set_race_view() {
  race_baseline_ = seen_through(report_.baseline, report_.settings.race_window, report_.settings.window.warmup_steps);
}

double TuneTrials::scale_of(const RunRequest& request) const {
  const auto& runs = report_.baseline.runs;
  if (runs.empty() || !runs.front().batch_size) return 1;
  for (const auto& [name, value] : candidate_of(request).variables()) {
    double batch = 0;
    if (name != "FRX_BATCH_SIZE") continue;
    if (std::from_chars(value.data(), value.data() + value.size(), batch).ec == std::errc() && batch > 0)
      return *runs.front().batch_size / batch;
  }
  return 1;
}

derive::tune::RunOutcome TuneTrials::outcome_of(const RunRequest& request, const report::TuneRun& run, bool ran_out_of_memory) const {
  derive::tune::RunOutcome outcome;
  outcome.times = run.step_times_ms;
  const auto& runs = report_.baseline.runs;
  if (!runs.empty() && runs.front().batch_size && run.batch_size) {
    for (double& time : outcome.times) time *= *runs.front().batch_size / *run.batch_size;
  }
  outcome.ran_out_of_memory = ran_out_of_memory;
  outcome.peak_memory_ratio = run.peak_memory_ratio;
  // Speed is what the search itself judges.
  report::TuneLimits limits = report_.settings.limits;
  limits.max_step_time_regression = std::numeric_limits<double>::infinity();
  limits.require_above_noise_band = false;
  TuneTrial alone;
  alone.candidate = candidate_of(request);
  alone.stage = stage_of(request);
  alone.window = alone.stage == TuneStage::race ? report_.settings.race_window : report_.settings.window;
  alone.runs = {run};
  fill_in(alone);
  if (request.configuration) {
    judge_trial(alone, baseline_for(alone.stage), limits);
    outcome.is_usable = alone.passed_guards();
  } else {
    outcome.is_usable = run.exit_code == 0 && !run.step_times_ms.empty();
    if (request.number == 1 && !race_baseline_.runs.empty()) outcome.race_times = race_baseline_.runs.front().step_times_ms;
  }
  return outcome;
}

void TuneTrials::conclude(const derive::tune::SearchResult& result) {
  fill_in(report_.baseline);
  report_.winner.reset();
  for (std::size_t i = 0; i < report_.trials.size(); ++i) {
    TuneTrial& trial = report_.trials[i];
    if (trial.was_skipped()) continue;
    judge_trial(trial, baseline_for(trial.stage), report_.settings.limits);
    const auto standing =
        std::ranges::find_if(result.standings, [&](const Standing& one) { return pool_[one.configuration].id == trial.candidate.id; });
    if (standing == result.standings.end()) continue;
    const bool is_race = trial.stage == TuneStage::race;
    trial.speedup = is_race ? standing->race : standing->full;
    if (is_race) trial.screening_decision = decision_on(trial, standing->was_promoted);
    trial.verdict = trial.passed_guards() ? standing->verdict : derive::tune::Verdict::unusable;
    if (!is_race && result.winner == standing->configuration && trial.passed_guards()) report_.winner = i;
  }
}

}  // namespace frx::analyse
