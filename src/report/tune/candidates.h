// Which candidates a bottleneck calls for, which of them may be run, and what was wrong with one that was run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/tuning.h"
#include "report/tune/tune_report.h"

namespace frx::report {

struct TuneQuestion {
  std::string_view focus;            // a name of data/tuning/focus.yaml, "" for none
  std::optional<double> batch_size;  // of the baseline
  TuneEnvironment environment;
  TuneSettings settings;
};

struct TuneCandidates {
  std::vector<TuneCandidate> candidates;
  std::vector<std::string> notes;  // what was left out or replaced, and why; no full stop
};

// "input-pipeline" -> "input_bound"; "" for a label that says nothing ("", "unknown"), "other" for one that no family of candidates answers.
std::string focus_of(std::string_view label, const knowledge::Tuning& tuning);

// The documented candidates of the focus in their documented order, all of them (the caller cuts them to max_trials), none twice; then,
// where families beside each other are allowed, combinations of one of each family, with is_documented false. Where a focus leaves none
// (its families need --no-safe), those of the DataLoader, and a note.
TuneCandidates candidates_for(const TuneQuestion& question, const knowledge::Tuning& tuning);

// The limits of data/tuning/limits.yaml.
TuneLimits default_limits(const knowledge::Tuning& tuning);

// Why it must not be run: a reason a line. Empty: it may be.
std::vector<std::string> rejected_by_safety(const TuneCandidate& candidate, const TuneQuestion& question, const knowledge::Tuning& tuning);

// Fills in guard_failures, throughput_delta, noise_band, confidence_label and comparison_notes of a trial whose runs are filled in.
// `baseline`: of the same window; of a race, its first steps.
void judge_trial(TuneTrial& trial, const TuneTrial& baseline, const TuneLimits& limits);

// The same run seen through a shorter window: of a baseline, what a race is compared with.
TuneTrial seen_through(const TuneTrial& trial, const TuneWindow& window, std::size_t warmup_of_trial);

}  // namespace frx::report
