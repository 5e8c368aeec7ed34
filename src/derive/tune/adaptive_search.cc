#include "derive/tune/adaptive_search.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "derive/tune/race_choice.h"
#include "derive/tune/standings.h"

namespace frx::derive::tune {
namespace {

// A configuration is not run in full when it is less likely than this to gain min_speedup, or to be faster than the leader by more than
// `practical_difference`.
constexpr double least_chance = 0.05, least_chance_to_lead = 0.12;
constexpr double practical_difference = 0.01;
constexpr double fair_chance_to_lead = 0.2;
// What may be added to the documented number of runs while only the width of its interval keeps the leader from being recommended.
constexpr std::size_t extra_runs = 3;
// Full runs of each contender beyond the wanted ones, to tell them apart.
constexpr std::size_t runs_between_equals = 2;
// A gain of which this much is as good as certain needs no second run of the baseline to be believed.
constexpr double certain_gain_factor = 2, certainty = 0.95;

// Runs that may still be made.
std::size_t runs_left(const History& history, std::size_t extra = 0) {
  const std::size_t most = history.documented_launches() + extra;
  return most > history.runs.size() ? most - history.runs.size() : 0;
}

std::size_t fewest_full_runs(const History& history) { return std::max<std::size_t>(1, history.rules.repeat_count); }

std::optional<std::size_t> leader_of(const History& history, const HistoryModel& model, const std::vector<std::size_t>& finalists) {
  std::optional<std::size_t> leader;
  for (const std::size_t one : finalists) {
    if (history.is_unusable(one)) continue;
    if (!leader || model.gain(one).mean > model.gain(*leader).mean) leader = one;
  }
  return leader;
}

// Of the finalists, those that another run may make the winner. The leader is one of them unless it has lost.
std::vector<std::size_t> contenders(const History& history, const HistoryModel& model, const std::vector<std::size_t>& finalists) {
  const std::optional<std::size_t> leader = leader_of(history, model, finalists);
  std::vector<std::size_t> open;
  for (const std::size_t one : finalists) {
    if (history.is_unusable(one) || model.probability_of(one, history.rules.min_speedup) < least_chance) continue;
    if (one == leader || model.probability_between(one, *leader, practical_difference) >= least_chance_to_lead) open.push_back(one);
  }
  return open;
}

// Nothing that another run of the baseline or of the leader shows is expected to change the answer about it.
bool is_decided(const History& history, const HistoryModel& model, std::size_t leader) {
  if (history.count(leader, Stage::full) < fewest_full_runs(history)) return false;
  const std::optional<Speedup> speedup = model.full_speedup(leader);
  const Verdict verdict = verdict_of(speedup, history.rules);
  if (verdict == Verdict::worse || verdict == Verdict::below) return true;
  if (verdict != Verdict::better) return false;
  // Without a second look at the baseline only a gain that is beyond doubt large enough.
  return speedup->low >= history.rules.min_speedup ||
         history.count(std::nullopt, Stage::baseline) >= std::max<std::size_t>(2, history.rules.repeat_count);
}

bool lacks_evidence(const History& history, const HistoryModel& model, std::size_t leader) {
  const std::optional<Speedup> speedup = model.full_speedup(leader);
  return speedup && speedup->value >= history.rules.min_speedup && speedup->low <= 0;
}

// The side with the fewest runs; at a tie those that ran last go first, so that blocks alternate in their order: A0, B C A, A C B, ...
std::optional<RunRequest> next_full(const History& history, const std::vector<std::size_t>& finalists) {
  const HistoryModel model(history);
  const std::vector<std::size_t> open = contenders(history, model, finalists);
  if (open.empty()) return std::nullopt;
  const std::optional<std::size_t> leader = leader_of(history, model, finalists);
  for (const std::size_t one : open) {
    if (history.count(one, Stage::full) < 1 && runs_left(history) > 0) return history.request(one, Stage::full);
  }
  const bool is_certain = is_decided(history, model, *leader);
  if (is_certain && open.size() <= 1) return std::nullopt;
  if (runs_left(history, lacks_evidence(history, model, *leader) ? extra_runs : 0) == 0) return std::nullopt;
  const std::size_t baselines = history.count(std::nullopt, Stage::baseline);
  std::optional<std::size_t> least = leader;
  for (const std::size_t one : open) {
    if (history.count(one, Stage::full) < history.count(*least, Stage::full)) least = one;
  }
  // Contenders that are still close after these are equally good.
  if (is_certain && history.count(*least, Stage::full) >= fewest_full_runs(history) + runs_between_equals) return std::nullopt;
  if (!is_certain && baselines <= history.count(*least, Stage::full)) return history.request(std::nullopt, Stage::baseline);
  return history.request(least, Stage::full);
}

// Without a race every configuration that is tried runs in full at once. Where there are many, a run is kept for the baseline.
std::optional<RunRequest> next_without_race(const History& history) {
  if (runs_left(history) > (history.documented() > history.rules.promote_count ? 1 : 0)) {
    if (const std::optional<Proposal> next = next_to_try(history)) return history.request(next->configuration, Stage::full);
  }
  return next_full(history, history.tried());
}

// Whether there are runs left for one more race. Of those that are left the leader needs one, the baseline another unless the gain is as
// good as certain, and other finalists one each where choosing among them promises more than what would be raced. Where nothing that was
// raced is worth a full run, what is raced next needs one.
bool has_runs_for_race(const History& history, const Proposal& proposal) {
  const std::vector<std::size_t> finalists = adaptive_finalists(history);
  const HistoryModel model(history);
  std::size_t reserved = 1;
  if (!finalists.empty() && model.probability_of(finalists[0], certain_gain_factor * history.rules.min_speedup) <= certainty) ++reserved;
  for (std::size_t i = 1; i < finalists.size(); ++i) {
    if (model.expected_improvement(finalists[i], finalists[0]) > proposal.improvement) ++reserved;
  }
  return runs_left(history) > reserved;
}

// A combination whose parts were raced may well be the winner, for which it needs a full run: it takes that at once instead of a race
// first. It is ended early where it turns out slower.
Stage stage_of(const History& history, const Proposal& proposal) {
  return !history.pool[proposal.configuration].is_documented && proposal.chance_to_lead > fair_chance_to_lead ? Stage::full : Stage::race;
}

}  // namespace

std::vector<std::size_t> adaptive_finalists(const History& history) {
  const HistoryModel model(history);
  std::vector<std::size_t> finalists;
  for (const std::size_t one : history.tried()) {
    if (!history.is_unusable(one)) finalists.push_back(one);
  }
  std::ranges::stable_sort(finalists, std::ranges::greater{}, [&](std::size_t one) { return model.gain(one).mean; });
  finalists = contenders(history, model, finalists);
  if (finalists.size() > history.rules.promote_count) finalists.resize(history.rules.promote_count);
  return finalists;
}

std::optional<RunRequest> next_adaptive(const History& history) {
  if (history.count(std::nullopt, Stage::baseline) == 0) return history.request(std::nullopt, Stage::baseline);
  if (!history.runs.front().counts()) return std::nullopt;
  if (!history.races()) return next_without_race(history);
  const std::optional<Proposal> next = next_to_try(history);
  if (next && has_runs_for_race(history, *next)) return history.request(next->configuration, stage_of(history, *next));
  return next_full(history, adaptive_finalists(history));
}

}  // namespace frx::derive::tune
