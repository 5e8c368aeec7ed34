#include "derive/tune/standings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "derive/tune/memory_limits.h"

namespace frx::derive::tune {
namespace {

Standing standing_of(const History& history, const HistoryModel& model, std::size_t configuration) {
  Standing standing;
  standing.configuration = configuration;
  standing.race = race_speedup(history, configuration);
  standing.full = model.full_speedup(configuration);
  standing.was_promoted = history.count(configuration, Stage::race) > 0 && history.count(configuration, Stage::full) > 0;
  standing.verdict = verdict_of(standing.full ? standing.full : standing.race, history.rules);
  // A race shows who is slow, not who is fast.
  if (!standing.full && standing.verdict == Verdict::better) standing.verdict = Verdict::inconclusive;
  if (history.is_unusable(configuration)) standing.verdict = Verdict::unusable;
  return standing;
}

// The fastest; of those that differ by no more than runs of one program do, the one that sets the fewest variables.
std::optional<std::size_t> winner_of(const History& history, const HistoryModel& model, const std::vector<Standing>& standings) {
  std::vector<std::size_t> better;
  for (const Standing& standing : standings) {
    if (standing.verdict == Verdict::better) better.push_back(standing.configuration);
  }
  if (better.empty()) return std::nullopt;
  const auto gain = [&](std::size_t one) { return model.gain(one).mean; };
  const double most = gain(*std::ranges::max_element(better, {}, gain));
  std::erase_if(better, [&](std::size_t one) { return gain(one) < most - SpeedupRules{}.run_noise; });
  return *std::ranges::min_element(better, {}, [&](std::size_t one) { return std::pair(history.pool[one].settings.size(), -gain(one)); });
}

std::vector<std::string> notes_of(const History& history) {
  std::vector<std::string> notes;
  std::size_t combinations = 0;
  for (BarredConfiguration& barred : barred_by_memory(history)) {
    if (history.pool[barred.configuration].is_documented) {
      notes.push_back(std::move(barred.why));
    } else {
      ++combinations;
    }
  }
  if (combinations > 0)
    notes.push_back(fmt::format("combinations that were not tried because their batch needs too much memory: {}", combinations));
  return notes;
}

}  // namespace

Verdict verdict_of(const std::optional<Speedup>& full, const SearchRules& rules) {
  if (!full) return Verdict::inconclusive;
  if (full->value >= rules.min_speedup && full->low > 0) return Verdict::better;
  if (full->high < 0) return Verdict::worse;
  return full->high < rules.min_speedup ? Verdict::below : Verdict::inconclusive;
}

SearchResult result_of(const History& history) {
  SearchResult result;
  if (history.runs.empty() || !history.runs.front().counts()) return result;
  const HistoryModel model(history);
  for (const std::size_t configuration : history.tried()) result.standings.push_back(standing_of(history, model, configuration));
  result.winner = winner_of(history, model, result.standings);
  result.notes = notes_of(history);
  return result;
}

}  // namespace frx::derive::tune
