// Which configuration of a program to run next, when to stop a run, and which configuration wins.
//
// A search has no clock, no chance and no files: it asks for one run at a time and is told what the run measured. The same answers lead to
// the same requests, so that an interrupted search is continued by telling it again what was measured before.
//
//   Search search(pool, rules);
//   while (const std::optional<RunRequest> request = search.next()) search.record(*request, measured(*request));
//   const SearchResult result = search.result();
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "derive/tune/speedup.h"

namespace frx::derive::tune {

// What distinguishes a configuration from the baseline: names of variables with their values, ascending by name. A variable that is not
// named is as the program has it. Values that are numbers are taken as ordered ("4" lies between "2" and "8"), others as categories.
using Settings = std::vector<std::pair<std::string, std::string>>;

struct Configuration {
  Settings settings;
  bool is_documented = true;  // of the documented grid; others combine several of them, and are tried when their parts paid
};

enum class Stage : std::uint8_t { baseline, race, full };

// One run of a program. `configuration` is a position in the pool; nullopt: the baseline, again between candidates, so that drift cancels.
struct RunRequest {
  std::optional<std::size_t> configuration;
  Stage stage = Stage::baseline;
  std::size_t number = 1;  // of the runs of this configuration in this stage, from 1
  bool operator==(const RunRequest&) const = default;
};

// What a run showed. `times` are milliseconds per unit of work (a sample where both sides know their batch, else a step), of the steps that
// were measured, in their order.
struct RunOutcome {
  std::vector<double> times;
  bool is_usable = true;                         // ended well and passed every gate; else it is never asked for again
  bool ran_out_of_memory = false;                // larger batches need not be tried
  std::optional<double> peak_memory_ratio = {};  // used, of all memory of the GPU
  std::vector<double> race_times = {};           // of a baseline: its steps in the window of a race; empty: the first ones of `times`
};

struct SearchRules {
  std::size_t max_trials = 12;  // configurations that are tried at all, the baseline apart
  std::size_t promote_count = 3, repeat_count = 1;
  bool race = true;
  // Measured steps of a run of each stage, as the program is asked for them; of the baseline, the race compares the first `race_steps`.
  std::size_t race_steps = 5, full_steps = 20;
  double min_speedup = 0.08;
  double max_memory_ratio = 0.90;
  // Off: configurations of the pool are tried in their order, as far as max_trials goes, and all are raced.
  bool adaptive = true;
  // What is known of the program as it is: {{"FRX_BATCH_SIZE", "32"}}. Taken for every configuration that does not set it.
  Settings baseline = {};
};

enum class Fate : std::uint8_t { open, hopeless, settled };

enum class Verdict : std::uint8_t {
  better,        // at least min_speedup faster, beyond doubt faster
  worse,         // beyond doubt slower
  below,         // its gain is below min_speedup, beyond doubt
  inconclusive,  // the interval allows both
  unusable       // failed, or a gate rejected it
};

struct Standing {
  std::size_t configuration = 0;
  std::optional<Speedup> race, full;  // against the baseline; absent where it did not run in the stage
  Verdict verdict = Verdict::inconclusive;
  bool was_promoted = false;
};

struct SearchResult {
  std::optional<std::size_t> winner;  // a position in the pool: `better`, and the fastest of those by the model of all that was measured
  std::vector<Standing> standings;    // of those that ran, in the order in which they were first run
  std::vector<std::string> notes;     // "bs_128 was not tried: its memory is expected to be 96 % of that of the GPU"
};

class Search {
 public:
  // `labels`: names of the configurations for notes, as many as there are. Configurations are distinct.
  Search(std::vector<Configuration> pool, std::vector<std::string> labels, SearchRules rules);
  ~Search();
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;

  // nullopt: there is nothing left that is worth a run. The same until record() is called.
  std::optional<RunRequest> next();
  // Of the request that next() gave last.
  void record(const RunRequest& request, const RunOutcome& outcome);

  // While that run goes on: what may be said from its first times. Hopeless: it need not be continued.
  Fate fate_of(const RunRequest& request, std::span<const double> times_so_far) const;

  SearchResult result() const;

  // For progress: runs that are expected in a stage as far as is known now.
  std::size_t expected_runs(Stage stage) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frx::derive::tune
