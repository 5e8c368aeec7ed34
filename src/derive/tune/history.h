// What a search has seen so far. Everything that it decides follows from this alone.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "derive/tune/response_model.h"
#include "derive/tune/search.h"

namespace frx::derive::tune {

struct FinishedRun {
  RunRequest request;
  RunOutcome outcome;
  bool counts() const { return outcome.is_usable && !outcome.times.empty(); }
};

struct History {
  std::vector<Configuration> pool;
  std::vector<std::string> labels;
  SearchRules rules;
  std::vector<FinishedRun> runs;

  // Configurations that have run, in the order of their first run.
  std::vector<std::size_t> tried() const;
  bool was_tried(std::size_t configuration) const;
  bool is_unusable(std::size_t configuration) const;  // a run of it failed
  std::size_t count(std::optional<std::size_t> configuration, Stage stage) const;
  std::vector<std::vector<double>> times_of(std::optional<std::size_t> configuration, Stage stage) const;  // of the runs that count

  std::size_t documented() const;
  Settings known_settings(const Configuration& configuration) const;  // with those of the baseline that it does not set
  // Whether there is a race, of as many configurations as will be tried.
  bool races() const;
  // Runs of all kinds that the documented flow would take, and how many of them are full ones of configurations.
  std::size_t documented_launches() const;

  RunRequest request(std::optional<std::size_t> configuration, Stage stage) const;  // with its number
};

// The race against the first steps of the baseline, in which it takes part. nullopt: it did not run, or failed.
std::optional<Speedup> race_speedup(const History& history, std::size_t configuration);

// What the model makes of the history; the baseline is its point 0, configuration i its point i + 1.
class HistoryModel {
 public:
  explicit HistoryModel(const History& history);

  const ResponseModel& responses() const { return model_; }
  // Log throughput over that of the baseline.
  Estimate gain(std::size_t configuration) const { return model_.gain(configuration + 1, 0); }
  double probability_of(std::size_t configuration, double speedup) const;
  double probability_between(std::size_t configuration, std::size_t rival, double speedup) const;
  double expected_improvement(std::size_t configuration, std::optional<std::size_t> best) const;

  // Of its full runs against those of the baseline, without the drift that the model sees in both; what it leaves open of the drift counts
  // as noise of runs. nullopt: there are none.
  std::optional<Speedup> full_speedup(std::size_t configuration) const;

 private:
  std::vector<std::vector<double>> without_drift(std::optional<std::size_t> configuration, std::vector<double>& weights, double sign) const;
  const History& history_;
  ResponseModel model_;
};

}  // namespace frx::derive::tune
