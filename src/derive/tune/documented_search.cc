#include "derive/tune/documented_search.h"

#include <algorithm>

namespace frx::derive::tune {
namespace {

std::vector<std::size_t> documented_candidates(const History& history) {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < history.pool.size() && candidates.size() < history.rules.max_trials; ++i) {
    if (history.pool[i].is_documented) candidates.push_back(i);
  }
  return candidates;
}

// Blocks of the baseline and all candidates, every second one backwards: baseline A B, B A baseline, baseline A B, ...
std::optional<RunRequest> next_of_blocks(const History& history, std::vector<std::size_t> candidates) {
  const std::size_t repeats = std::max<std::size_t>(1, history.rules.repeat_count);
  for (std::size_t block = 0; block < repeats; ++block) {
    std::vector<std::optional<std::size_t>> sides = {std::nullopt};
    for (const std::size_t candidate : candidates) sides.emplace_back(candidate);
    if (block % 2 == 1) std::ranges::reverse(sides);
    for (const std::optional<std::size_t> side : sides) {
      const Stage stage = side ? Stage::full : Stage::baseline;
      if (side && history.is_unusable(*side)) continue;
      if (history.count(side, stage) <= block) return history.request(side, stage);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::size_t> documented_finalists(const History& history) {
  struct Raced {
    std::size_t configuration;
    double speedup;
  };
  std::vector<Raced> raced;
  for (const std::size_t configuration : history.tried()) {
    // A full run that failed later is not replaced by another one.
    if (const std::optional<Speedup> speedup = race_speedup(history, configuration)) raced.push_back({configuration, speedup->value});
  }
  std::ranges::stable_sort(raced, std::ranges::greater{}, &Raced::speedup);
  std::vector<std::size_t> finalists;
  for (std::size_t i = 0; i < std::min(raced.size(), history.rules.promote_count); ++i) finalists.push_back(raced[i].configuration);
  return finalists;
}

std::optional<RunRequest> next_documented(const History& history) {
  if (history.count(std::nullopt, Stage::baseline) == 0) return history.request(std::nullopt, Stage::baseline);
  if (!history.runs.front().counts()) return std::nullopt;
  const std::vector<std::size_t> candidates = documented_candidates(history);
  if (!history.races()) return next_of_blocks(history, candidates);
  for (const std::size_t candidate : candidates) {
    if (history.count(candidate, Stage::race) == 0) return history.request(candidate, Stage::race);
  }
  return next_of_blocks(history, documented_finalists(history));
}

}  // namespace frx::derive::tune
