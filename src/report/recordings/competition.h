// The answer of frx kernel compete: which of several commands is the fastest, where the times decide it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "derive/compare/two_samples.h"
#include "model/timed_command.h"

namespace frx::report {

struct Competitor {
  model::TimedCommand command;
  std::optional<double> median_ms, mad_ms, shortest_ms, longest_ms;  // absent: it failed
  // Of its times against those of the fastest; nothing of the fastest itself and of one that failed.
  std::optional<derive::compare::Judgement> against_fastest;
};

struct Competition {
  std::string workload;                 // what they compete in, for people
  std::size_t runs = 0, warmup = 0;     // of each command
  double noise_floor = 0;               // differences up to this share count as nothing
  std::vector<Competitor> competitors;  // ours first
  std::optional<std::size_t> fastest;   // by its median; nothing: all failed
  std::optional<std::size_t> winner;    // absent: inconclusive
  std::string verdict;                  // in a sentence

  bool any_failed() const;
};

// The fastest wins when the interval of every other command lies above its time by more than the noise floor. Commands that failed have no
// times, and do not lose: without two that ran there is no winner.
Competition judge_competition(std::string workload, std::vector<model::TimedCommand> commands, std::size_t warmup,
                              double noise_floor = derive::compare::default_noise_floor);

}  // namespace frx::report
