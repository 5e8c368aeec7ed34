#include "report/recordings/competition.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "report/recordings/kernel_recording.h"

namespace frx::report {
namespace {

using derive::compare::Answer;
using derive::compare::Doubt;

Competitor competitor_of(model::TimedCommand command) {
  Competitor one;
  if (command.failure.empty() && !command.runs_ms.empty()) {
    const WallTimes times{command.runs_ms, 0};
    one.median_ms = times.median_ms();
    one.mad_ms = times.mad_ms();
    one.shortest_ms = std::ranges::min(command.runs_ms);
    one.longest_ms = std::ranges::max(command.runs_ms);
  }
  one.command = std::move(command);
  return one;
}

std::string_view doubt_words(Doubt doubt) {
  switch (doubt) {
    case Doubt::too_few: return "too few runs (--runs)";
    case Doubt::within_noise: return "any difference is within the noise";
    case Doubt::too_scattered: return "the runs scatter too much; more of them (--runs 20) may tell";
    case Doubt::none: break;
  }
  return "";
}

// The first that is not surely slower than the fastest; null where there is none.
const Competitor* undecided(const Competition& competition) {
  for (const Competitor& one : competition.competitors) {
    if (one.against_fastest && one.against_fastest->answer != Answer::worse) return &one;
  }
  return nullptr;
}

std::string verdict_of(const Competition& competition) {
  if (!competition.fastest) return "No winner: every command failed.";
  const Competitor& fastest = competition.competitors[*competition.fastest];
  const auto ran = std::ranges::count_if(competition.competitors, [](const Competitor& one) { return one.median_ms.has_value(); });
  if (ran < 2) return fmt::format("No winner: {} is the only one that ran.", printable(fastest.command.label));
  if (const Competitor* other = undecided(competition))
    return fmt::format("Inconclusive: {} and {} cannot be told apart: {}.", printable(fastest.command.label),
                       printable(other->command.label), doubt_words(other->against_fastest->doubt));
  return fmt::format("Winner: {}", printable(fastest.command.label));
}

}  // namespace

bool Competition::any_failed() const {
  return std::ranges::any_of(competitors, [](const Competitor& one) { return !one.command.failure.empty(); });
}

Competition judge_competition(std::string workload, std::vector<model::TimedCommand> commands, std::size_t warmup, double noise_floor) {
  Competition competition;
  competition.workload = std::move(workload);
  competition.warmup = warmup;
  competition.noise_floor = noise_floor;
  std::size_t ran = 0;
  for (model::TimedCommand& command : commands) {
    competition.runs = std::max(competition.runs, command.runs_ms.size());
    competition.competitors.push_back(competitor_of(std::move(command)));
    const std::optional<double> median = competition.competitors.back().median_ms;
    ran += median.has_value();
    if (median && (!competition.fastest || *median < *competition.competitors[*competition.fastest].median_ms))
      competition.fastest = competition.competitors.size() - 1;
  }
  for (std::size_t i = 0; i < competition.competitors.size(); ++i) {
    Competitor& one = competition.competitors[i];
    if (one.median_ms && i != *competition.fastest)
      one.against_fastest =
          derive::compare::judge(competition.competitors[*competition.fastest].command.runs_ms, one.command.runs_ms, noise_floor);
  }
  if (ran >= 2 && !undecided(competition)) competition.winner = competition.fastest;
  competition.verdict = verdict_of(competition);
  return competition;
}

}  // namespace frx::report
