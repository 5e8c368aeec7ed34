#include "compose/tune_words.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/text.h"
#include "base/units.h"

namespace frx::compose {

using TuneVerdict = derive::tune::Verdict;
using report::TuneReport;
using report::TuneStage;
using report::TuneTrial;

namespace {

// "19.3", and "186" where decimals say nothing.
std::string percent_digits(double share) { return fmt::format("{:.{}f}", 100 * share, std::abs(share) < 0.9995 ? 1 : 0); }

// Of one that frx ended itself the exit code is ours, and says nothing.
bool was_ended_early(const TuneTrial& trial) {
  return std::ranges::any_of(trial.runs, [](const report::TuneRun& run) { return !run.stopped.empty(); });
}

// Which of several good ones wins goes by all runs of all of them, so that another one may show a larger change.
bool overlaps_with_winner(const TuneTrial& trial, const TuneReport& report) {
  const TuneTrial* winner = winner_of(report);
  if (!winner) return false;
  const TuneChange one = tuned_change(trial), best = tuned_change(*winner);
  return one.high && best.low && *one.high >= *best.low;
}

int group_of(TuneOutcome outcome) {
  switch (outcome) {
    case TuneOutcome::screened: return 1;
    case TuneOutcome::rejected: return 2;
    case TuneOutcome::not_run: return 3;
    default: return 0;
  }
}

}  // namespace

TuneChange tuned_change(const TuneTrial& trial) {
  if (!trial.speedup) return {trial.throughput_delta, {}, {}};
  TuneChange change{trial.speedup->value, {}, {}};
  if (std::isfinite(trial.speedup->low) && trial.speedup->low > -1) change.low = trial.speedup->low;
  if (std::isfinite(trial.speedup->high)) change.high = trial.speedup->high;
  return change;
}

std::string_view outcome_name(TuneOutcome outcome) {
  constexpr std::string_view names[] = {"winner", "better", "below", "inconclusive", "worse", "screened", "rejected", "not_run"};
  return names[static_cast<std::size_t>(outcome)];
}

std::string_view verdict_name(TuneVerdict verdict) {
  constexpr std::string_view names[] = {"better", "worse", "below", "inconclusive", "unusable"};
  return names[static_cast<std::size_t>(verdict)];
}

TuneOutcome tuned_outcome(const TuneTrial& trial, const TuneTrial* winner) {
  if (trial.was_skipped()) return TuneOutcome::not_run;
  const bool has_failed = trial.exit_code != 0 && !was_ended_early(trial);
  if (has_failed || !trial.passed_guards() || trial.verdict == TuneVerdict::unusable) return TuneOutcome::rejected;
  if (trial.stage == TuneStage::race) return TuneOutcome::screened;
  if (&trial == winner) return TuneOutcome::winner;
  switch (trial.verdict) {
    case TuneVerdict::better: return TuneOutcome::better;
    case TuneVerdict::below: return TuneOutcome::below;
    case TuneVerdict::worse: return TuneOutcome::worse;
    default: return TuneOutcome::inconclusive;
  }
}

const TuneTrial* winner_of(const TuneReport& report) { return report.winner ? &report.trials[*report.winner] : nullptr; }

std::vector<std::size_t> in_order_of_display(const TuneReport& report) {
  std::vector<std::size_t> order(report.trials.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const TuneTrial* winner = winner_of(report);
  const auto key = [&](std::size_t i) {
    const TuneTrial& trial = report.trials[i];
    const TuneOutcome outcome = tuned_outcome(trial, winner);
    return std::tuple(group_of(outcome), outcome != TuneOutcome::winner, -tuned_change(trial).value.value_or(-1));
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

std::size_t count_of_candidates(const TuneReport& report) {
  std::set<std::string_view> ids;
  for (const TuneTrial& trial : report.trials) ids.insert(trial.candidate.id);
  return ids.size();
}

std::size_t count_of_promoted(const TuneReport& report) {
  const TuneTrial* winner = winner_of(report);
  return static_cast<std::size_t>(std::ranges::count_if(report.trials, [&](const TuneTrial& trial) {
    const TuneOutcome outcome = tuned_outcome(trial, winner);
    return outcome == TuneOutcome::winner || outcome == TuneOutcome::better;
  }));
}

std::string share_words(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string confidence_text() { return share_words(derive::tune::SpeedupRules{}.confidence); }

std::string tuned_change_text(const std::optional<double>& change) {
  return change ? fmt::format("{}{} %", *change > 0 ? "+" : "", percent_digits(*change)) : "n/a";
}

std::string interval_text(const TuneChange& change) {
  if (change.low && change.high) return fmt::format("{} to {} %", percent_digits(*change.low), percent_digits(*change.high));
  if (change.low) return fmt::format("{} % or more", percent_digits(*change.low));
  return change.high ? fmt::format("{} % or less", percent_digits(*change.high)) : "";
}

std::string change_with_interval(const TuneChange& change) {
  if (!change.value) return "n/a";
  const std::string interval = interval_text(change);
  return fmt::format("{} ({})", tuned_change_text(change.value), interval.empty() ? "no interval" : interval);
}

std::vector<std::string> reasons_of(const TuneTrial& trial) {
  if (!trial.guard_failures.empty()) return trial.guard_failures;
  std::vector<std::string> reasons;
  for (const report::TuneRun& run : trial.runs) {
    if (!run.failure.empty() && std::ranges::find(reasons, run.failure) == reasons.end()) reasons.push_back(run.failure);
  }
  if (reasons.empty() && trial.exit_code != 0 && !trial.was_skipped()) reasons.push_back(fmt::format("exit code {}", trial.exit_code));
  return reasons;
}

std::string short_reasons(const TuneTrial& trial) {
  constexpr std::size_t most = 2;
  std::vector<std::string> reasons = reasons_of(trial);
  const std::size_t all = reasons.size();
  reasons.resize(std::min(all, most));
  std::string text = join(reasons, "; ");
  if (all > most) text += fmt::format("; and {} more", all - most);
  return text;
}

std::string outcome_text(const TuneTrial& trial, const TuneReport& report) {
  const std::string early = was_ended_early(trial) ? ", ended early" : "";
  const std::string reasons = short_reasons(trial);
  switch (tuned_outcome(trial, winner_of(report))) {
    case TuneOutcome::winner: return "winner";
    case TuneOutcome::better: return overlaps_with_winner(trial, report) ? "faster; no clear difference to the winner" : "faster";
    case TuneOutcome::below: return fmt::format("gains less than {}{}", share_words(report.settings.limits.min_speedup), early);
    case TuneOutcome::inconclusive: return "inconclusive";
    case TuneOutcome::worse: return "slower" + early;
    case TuneOutcome::screened: return (trial.screening_decision.empty() ? "raced" : trial.screening_decision) + early;
    case TuneOutcome::not_run: return reasons.empty() ? "not run" : "not run: " + reasons;
    case TuneOutcome::rejected: break;
  }
  const std::string head = trial.screening_decision.empty() ? "rejected" : trial.screening_decision;
  return reasons.empty() ? head : head + ": " + reasons;
}

std::optional<double> steps_to_decide(const TuneTrial& trial, double min_speedup) {
  const TuneChange change = tuned_change(trial);
  if (!change.value || !change.low || !change.high) return std::nullopt;
  // Its interval has to leave 0 behind where the gain is large enough, and the limit where it is not.
  const double value = std::log1p(*change.value);
  const bool is_enough = *change.value >= min_speedup;
  const double half = is_enough ? value - std::log1p(*change.low) : std::log1p(*change.high) - value;
  const double distance = is_enough ? value : std::log1p(min_speedup) - value;
  if (!(distance > 0) || !(half > distance)) return std::nullopt;
  return half / distance * (half / distance);  // an interval narrows by the square root of the steps
}

std::string folder_of(const TuneTrial& trial) { return trial.stage == TuneStage::race ? "race/" + trial.candidate.id : trial.candidate.id; }

std::string command_with(const report::Variables& variables, std::span<const std::string> command) {
  std::vector<std::string> words;
  for (const auto& [name, value] : variables) words.push_back(name + "=" + shell_quote(value));
  for (const std::string& word : command) words.push_back(shell_quote(word));
  return join(words, " ");
}

std::string resume_command(const TuneReport& report) { return "frx tune --resume " + shell_quote(report.folder); }

}  // namespace frx::compose
