// Prints docs/validation/tune.md: how well the search of frx tune does on simulated programs.
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

constexpr std::string_view columns =
    "| Program | Tunings | Found | Found in budget | Slower | Gain missed | No more launches | Regret | Launches | Steps |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";

void print_table(std::string_view title, const std::array<TuningCounts, workload_kinds + 1>& kinds) {
  fmt::print("### {}\n\n{}", title, columns);
  for (std::size_t i = 0; i < workload_kinds; ++i) print_row(name_of(static_cast<WorkloadKind>(i)), kinds[i]);
  const TuningCounts all = TuningScore::all(kinds);
  print_row("**all**", all);
  fmt::print("\nIntervals of full runs that hold the true gain: {} of {} ({:.1f} %).\n\n", all.held, all.intervals,
             100 * static_cast<double>(all.held) / static_cast<double>(all.intervals));
}

constexpr std::string_view introduction = R"(# The search of frx tune

Written by `frx_tune_validation`. Simulated training programs (`tests/tune/workload.h`) are tuned whose best configuration is known: a step waits for
its batch, copies it and computes, so that settings interact, reach plateaus and fall off cliffs; some settings fail, and large batches run out of memory.
Steps scatter by 5 % (standard deviation) with the tails of Student's t of 3 degrees of freedom and an autocorrelation of 0.3, runs are shifted by 0.5 to
1 %, and the machine drifts by up to 5 % over a tuning, steadily or at once. Settings are the defaults of `frx tune`: 12 trials, races of 5 steps, full runs
of 20. Thresholds were chosen on seeds below 100000.

*Found*: the fastest usable configuration of the pool or one within 2 % of it was recommended, or none where none gains 8 %. *In budget*: and with no more
launches, those of the baseline counted, than the documented flow took on the same program. *Slower*: what was recommended is slower than the baseline or
fails. *Gain missed*: none was recommended, though one gains 8 %. *No more launches*: than the documented flow. *Regret*: by how much what was recommended
falls short of the best. *Launches* and *Steps*: of all processes of a tuning, warm-up counted; runs that were ended early count the steps that they took.

)";

constexpr std::string_view reading = R"(## How to read it

The documented flow tries no combinations, so it cannot find the best of pools that hold some: that is most of its distance. Where there are none (loading,
copies, launches), both find the best, and the search takes fewer launches.

*Random interactions* have effects without a mechanism: what two settings have only together is 20 to 80 % of the size of an effect, and 8 or 11
configurations are to be told apart with 8 or 9 launches. Of what is missed there and in *underutilized* programs (47 configurations, 12 launches), most was
never tried.

An interval is of one comparison: at any time at which one looks, it is wrong for at most one in 20 comparisons. That the largest of several estimates is
an overestimate is not part of it.
)";

void print_page(std::uint64_t first, std::size_t tunings) {
  fmt::print("{}## {} tunings from seed {}\n\n", introduction, tunings, first);
  const TuningScore score = score_tunings(first, tunings);
  print_table("The search of frx tune", score.adaptive);
  print_table("The documented flow (`--search grid`)", score.documented);
  Noise noisy;
  noisy.step *= std::sqrt(3);
  fmt::print(
      "## Harder\n\nThe same programs with steps that scatter by 8.7 % (a scale of 5 % of Student's t), and programs of 47 or 107 "
      "configurations with random effects of all of them and all their pairs, which no budget of 12 launches can learn.\n\n");
  const auto of_wide = static_cast<std::size_t>(WorkloadKind::wide);
  const TuningScore loud = score_tunings(first, tunings, noisy),
                    wide = score_tunings(first, tunings / workload_kinds, {}, WorkloadKind::wide);
  fmt::print("{}", columns);
  print_row("noisier: search", TuningScore::all(loud.adaptive));
  print_row("noisier: documented flow", TuningScore::all(loud.documented));
  print_row("many random combinations: search", wide.adaptive[of_wide]);
  print_row("many random combinations: documented flow", wide.documented[of_wide]);
  fmt::print("\n{}", reading);
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::string_view(arguments[1]) == "--show") return show(std::strtoull(arguments[2], nullptr, 10)), 0;
  print_page(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 500000, count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1000);
}
