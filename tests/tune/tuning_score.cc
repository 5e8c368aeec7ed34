#include "tune/tuning_score.h"

#include <algorithm>

namespace frx::testing::tune {
namespace {

using derive::tune::Fate;
using derive::tune::Search;
using derive::tune::SearchResult;
using derive::tune::SearchRules;
using derive::tune::Stage;

constexpr std::size_t race_warmup = 1, full_warmup = 5;
constexpr double close_enough = 0.02;

TuningCounts judged(const Workload& workload, const Tuning& tuning, std::size_t documented_launches, const SearchRules& rules) {
  TuningCounts counts;
  const double best = workload.best_speed();
  const std::optional<std::size_t> winner = tuning.result.winner;
  const bool is_usable = !winner || workload.truths[*winner].is_usable;
  const double speed = !winner ? 1 : is_usable ? workload.truths[*winner].speed : 0;
  const bool is_found = winner ? is_usable && speed >= best * (1 - close_enough) : best < 1 + rules.min_speedup;
  const bool is_frugal = tuning.requests.size() <= documented_launches;
  counts.tunings = 1;
  counts.found = is_found;
  counts.missed_gain = !winner && !is_found;
  counts.slower = speed < 1;
  counts.frugal = is_frugal;
  counts.in_budget = is_found && is_frugal;
  counts.launches = static_cast<double>(tuning.requests.size());
  counts.steps = static_cast<double>(tuning.steps);
  for (const derive::tune::Standing& standing : tuning.result.standings) {
    if (!standing.full) continue;
    const double truth = workload.truths[standing.configuration].speed - 1;
    ++counts.intervals;
    counts.held += standing.full->low <= truth && truth <= standing.full->high ? 1 : 0;
  }
  counts.regret = is_found && !winner ? 0 : 1 - speed / best;
  return counts;
}

}  // namespace

Tuning tune(const Workload& workload, const SearchRules& rules) {
  Search search(workload.pool, workload.labels, rules);
  Tuning tuning;
  while (const std::optional<RunRequest> request = search.next()) {
    const bool is_race = request->stage == Stage::race;
    RunOutcome outcome = workload.run(request->configuration, tuning.requests.size(), is_race ? rules.race_steps : rules.full_steps);
    for (std::size_t steps = 1; steps < outcome.times.size(); ++steps) {
      if (search.fate_of(*request, std::span(outcome.times).first(steps)) != Fate::open) outcome.times.resize(steps);
    }
    tuning.steps += outcome.times.size() + (is_race ? race_warmup : full_warmup);
    search.record(*request, outcome);
    tuning.requests.push_back(*request);
  }
  tuning.result = search.result();
  return tuning;
}

void TuningCounts::add(const TuningCounts& other) {
  tunings += other.tunings;
  found += other.found;
  missed_gain += other.missed_gain;
  slower += other.slower;
  in_budget += other.in_budget;
  frugal += other.frugal;
  intervals += other.intervals;
  held += other.held;
  launches += other.launches;
  steps += other.steps;
  regret += other.regret;
  missed_in.insert(missed_in.end(), other.missed_in.begin(), other.missed_in.end());
}

TuningCounts TuningScore::all(const std::array<TuningCounts, workload_kinds + 1>& kinds) {
  TuningCounts sum;
  for (const TuningCounts& one : kinds) sum.add(one);
  return sum;
}

TuningScore score_tunings(std::uint64_t first_seed, std::size_t tunings, const Noise& noise, std::optional<WorkloadKind> only) {
  TuningScore score;
  for (std::uint64_t seed = first_seed; seed < first_seed + tunings; ++seed) {
    const Workload workload(seed, noise, only);
    SearchRules rules, documented_rules;
    documented_rules.adaptive = false;
    rules.baseline = documented_rules.baseline = {{"FRX_BATCH_SIZE", "32"}};
    const Tuning documented = tune(workload, documented_rules);
    const std::size_t launches = documented.requests.size();
    const std::size_t kind = static_cast<std::size_t>(workload.kind);
    TuningCounts of_adaptive = judged(workload, tune(workload, rules), launches, rules);
    if (of_adaptive.found == 0) of_adaptive.missed_in.push_back(seed);
    score.adaptive[kind].add(of_adaptive);
    score.documented[kind].add(judged(workload, documented, launches, rules));
  }
  return score;
}

}  // namespace frx::testing::tune
