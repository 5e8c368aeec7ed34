#include "derive/tune/fate.h"

#include <algorithm>

#include "derive/tune/standings.h"

namespace frx::derive::tune {
namespace {

// Fewer are no result of their own: a guard wants as many.
constexpr std::size_t fewest_times = 3;
// Relative, for runs that are compared here are not beside each other: what the machine may have drifted between them.
constexpr double drift_noise = 0.02;

using Runs = std::vector<std::vector<double>>;

Speedup with_drift(const Runs& first, const Runs& second) {
  SpeedupRules rules;
  rules.run_noise = drift_noise;
  return speedup_of(first, second, rules);
}

// Beyond doubt slower than another one, as far as that was run.
bool is_beaten(const History& history, std::size_t configuration, const Runs& times) {
  for (const std::size_t rival : history.tried()) {
    if (rival == configuration || history.is_unusable(rival)) continue;
    Runs theirs = history.times_of(rival, Stage::race);
    for (std::vector<double>& run : history.times_of(rival, Stage::full)) theirs.push_back(std::move(run));
    if (!theirs.empty() && with_drift(theirs, times).high < 0) return true;
  }
  return false;
}

bool beats_all(const History& history, std::size_t configuration, const Runs& times) {
  return std::ranges::all_of(history.tried(), [&](std::size_t rival) {
    if (rival == configuration || history.is_unusable(rival)) return true;
    const Runs full = history.times_of(rival, Stage::full);
    return full.empty() || with_drift(full, times).low > 0;
  });
}

}  // namespace

Fate fate_of_run(const History& history, const RunRequest& request, std::span<const double> times) {
  if (!request.configuration || times.size() < fewest_times) return Fate::open;
  const Runs baseline = history.times_of(std::nullopt, Stage::baseline);
  if (baseline.empty()) return Fate::open;
  Runs mine = history.times_of(request.configuration, request.stage);
  mine.emplace_back(times.begin(), times.end());
  const Speedup speedup = with_drift(baseline, mine);
  if (speedup.high < 0) return Fate::hopeless;
  if (request.stage != Stage::full) return Fate::open;
  if (speedup.high < history.rules.min_speedup || is_beaten(history, *request.configuration, mine)) return Fate::hopeless;
  const bool is_long_enough = 2 * times.size() >= history.rules.full_steps;
  if (is_long_enough && speedup.low >= history.rules.min_speedup && beats_all(history, *request.configuration, mine)) return Fate::settled;
  return Fate::open;
}

}  // namespace frx::derive::tune
