// Prints docs/validation/tune.md's tables: how well the search of frx tune does on simulated programs.
//
//   frx_tune_validation [RUNS [FIRST_SEED]]   1,000 tunings from seed 500000
//   frx_tune_validation --show SEED           one of them: what is true, what was asked for and what was answered
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tune/tuning_score.h"

namespace {

using namespace frx::testing::tune;
using namespace frx::derive::tune;

void show(std::uint64_t seed) {
  const Workload workload(seed, {});
  fmt::print("{}: {} configurations, the best is {:+.1f} %\n", name_of(workload.kind), workload.pool.size(),
             100 * (workload.best_speed() - 1));
  const auto name = [&](std::optional<std::size_t> one) { return one ? workload.labels[*one] : std::string("baseline"); };
  for (std::size_t i = 0; i < workload.pool.size(); ++i) {
    const Truth& truth = workload.truths[i];
    if (workload.pool[i].is_documented || truth.speed >= workload.best_speed() * 0.98) {
      fmt::print("  {:40} {:+6.1f} %{}\n", name(i), 100 * (truth.speed - 1), truth.is_usable ? "" : "  unusable");
    }
  }
  for (const bool adaptive : {true, false}) {
    SearchRules rules;
    rules.adaptive = adaptive;
    rules.baseline = {{"FRX_BATCH_SIZE", "32"}};
    const Tuning tuning = tune(workload, rules);
    fmt::print("{}: winner {}\n", adaptive ? "adaptive" : "documented", tuning.result.winner ? name(*tuning.result.winner) : "none");
    for (const RunRequest& request : tuning.requests)
      fmt::print("  {} {}",
                 request.stage == Stage::race   ? "race"
                 : request.stage == Stage::full ? "full"
                                                : "base",
                 name(request.configuration));
    fmt::print("\n");
    for (const Standing& standing : tuning.result.standings) {
      fmt::print("  {:40} true {:+6.1f} %", name(standing.configuration), 100 * (workload.truths[standing.configuration].speed - 1));
      for (const auto& one : {standing.race, standing.full}) {
        if (one) fmt::print("  {:+6.1f} ({:+.1f} .. {:+.1f})", 100 * one->value, 100 * one->low, 100 * one->high);
      }
      fmt::print(" verdict {}\n", static_cast<int>(standing.verdict));
    }
    for (const std::string& note : tuning.result.notes) fmt::print("  {}\n", note);
  }
}

void print_row(std::string_view name, const TuningCounts& counts) {
  const double n = static_cast<double>(counts.tunings);
  const auto percent = [&](std::size_t count) { return 100 * static_cast<double>(count) / n; };
  fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % | {:.2f} % | {:.1f} | {:.0f} |\n", name, counts.tunings,
             percent(counts.found), percent(counts.in_budget), percent(counts.slower), percent(counts.missed_gain), percent(counts.frugal),
             100 * counts.regret / n, counts.launches / n, counts.steps / n);
}

void print_table(const std::array<TuningCounts, workload_kinds>& kinds) {
  fmt::print("| Program | Tunings | Found | Found in budget | Slower | Gain missed | No more launches | Regret | Launches | Steps |\n");
  fmt::print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (std::size_t i = 0; i < workload_kinds; ++i) print_row(name_of(static_cast<WorkloadKind>(i)), kinds[i]);
  print_row("all", TuningScore::all(kinds));
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::string_view(arguments[1]) == "--show") return show(std::strtoull(arguments[2], nullptr, 10)), 0;
  const std::size_t tunings = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1000;
  const std::uint64_t first = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 500000;
  const TuningScore score = score_tunings(first, tunings);
  fmt::print("adaptive\n\n");
  print_table(score.adaptive);
  fmt::print("\ndocumented\n\n");
  print_table(score.documented);
  for (std::size_t i = 0; i < workload_kinds && count > 3; ++i) {
    fmt::print("{}:", i);
    for (const std::uint64_t seed : score.adaptive[i].missed_in) fmt::print(" {}", seed);
    fmt::print("\n");
  }
}
