// The trials of a tuning while it goes on: which run belongs to which trial, and what is concluded from all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "report/tune/tune_report.h"

namespace frx::analyse {

// A pool of candidates that may be run, and their trials in a report.
class TuneTrials {
 public:
  // The report outlives it, and has its settings.
  explicit TuneTrials(report::TuneReport& report) : report_(report) {}

  void set_pool(std::vector<report::TuneCandidate> pool) { pool_ = std::move(pool); }
  const std::vector<report::TuneCandidate>& pool() const { return pool_; }
  const report::TuneCandidate& candidate_of(const derive::tune::RunRequest& request) const;

  // Adds a run: to the baseline, or to the trial of the candidate in that stage. The trial, judged against the baseline as it is known now.
  report::TuneTrial& add(const derive::tune::RunRequest& request, report::TuneRun run);
  // One that was slowed down and is run again.
  void add_repeated(const derive::tune::RunRequest& request, report::TuneRun run);
  void add_skipped(const report::TuneCandidate& candidate, std::vector<std::string> reasons);
  // From the first run of the baseline: what races are compared with.
  void set_race_view();

  // What the search is told about a run: times in milliseconds per step of the baseline's batch.
  derive::tune::RunOutcome outcome_of(const derive::tune::RunRequest& request, const report::TuneRun& run, bool ran_out_of_memory) const;
  // Milliseconds per step into those per step of the baseline's batch, for a candidate that sets the batch.
  double scale_of(const derive::tune::RunRequest& request) const;

  // Judges every trial again, and takes over what the search concludes.
  void conclude(const derive::tune::SearchResult& result);

 private:
  report::TuneTrial& trial_of(const derive::tune::RunRequest& request);
  const report::TuneTrial& baseline_for(report::TuneStage stage) const;

  report::TuneReport& report_;
  std::vector<report::TuneCandidate> pool_;
  report::TuneTrial race_baseline_;
};

}  // namespace frx::analyse
