#include "derive/tune/search.h"

#include <algorithm>
#include <cassert>

#include "derive/tune/adaptive_search.h"
#include "derive/tune/documented_search.h"
#include "derive/tune/fate.h"
#include "derive/tune/history.h"
#include "derive/tune/standings.h"

namespace frx::derive::tune {

struct Search::State {
  History history;
  std::optional<RunRequest> next;
  bool is_next_known = false;
};

Search::Search(std::vector<Configuration> pool, std::vector<std::string> labels, SearchRules rules)
    : state_(std::make_unique<State>(State{{std::move(pool), std::move(labels), rules, {}}, std::nullopt, false})) {
  assert(state_->history.pool.size() == state_->history.labels.size());
}
Search::~Search() = default;
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;

std::optional<RunRequest> Search::next() {
  if (!state_->is_next_known) {
    const History& history = state_->history;
    state_->next = history.rules.adaptive ? next_adaptive(history) : next_documented(history);
    state_->is_next_known = true;
  }
  return state_->next;
}

void Search::record(const RunRequest& request, const RunOutcome& outcome) {
  state_->history.runs.push_back({request, outcome});
  state_->is_next_known = false;
}

Fate Search::fate_of(const RunRequest& request, std::span<const double> times_so_far) const {
  return state_->history.rules.adaptive ? fate_of_run(state_->history, request, times_so_far) : Fate::open;
}

SearchResult Search::result() const { return result_of(state_->history); }

std::size_t Search::expected_runs(Stage stage) const {
  const History& history = state_->history;
  std::size_t done = 0;
  for (const FinishedRun& run : history.runs) done += run.request.stage == stage ? 1 : 0;
  const bool is_over = state_->is_next_known && !state_->next;
  if (is_over) return done;
  const std::size_t candidates = std::min(history.rules.max_trials, history.documented());
  const std::size_t repeats = std::max<std::size_t>(1, history.rules.repeat_count);
  switch (stage) {
    case Stage::baseline: return std::max(done, history.rules.adaptive ? repeats + 1 : repeats);
    case Stage::race: return history.races() ? std::max(done, candidates) : done;
    case Stage::full: return std::max(done, (history.races() ? std::min(candidates, history.rules.promote_count) : candidates) * repeats);
  }
  return done;
}

}  // namespace frx::derive::tune
