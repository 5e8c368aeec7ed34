// How often frx compare tells a difference, by simulation: the tables of docs/validation/compare.md, in Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "derive/compare/noise_floor.h"
#include "derive/compare/two_samples.h"

namespace {

using frx::derive::compare::Answer;

constexpr int rounds = 10'000;

// One run: steps of median 1 that scatter by `spread` (of their logarithms); each repeats the share `memory` of what was
// unusual about the one before it.
std::vector<double> run(std::mt19937_64& random, std::size_t steps, double median, double spread, double memory) {
  std::normal_distribution<double> news(0, spread * std::sqrt(1 - memory * memory)), first(0, spread);
  double state = first(random);
  std::vector<double> times;
  for (std::size_t i = 0; i < steps; ++i) {
    times.push_back(median * std::exp(state));
    state = memory * state + news(random);
  }
  return times;
}

double told(std::size_t steps, double ratio, double spread, double memory, double noise_floor) {
  std::mt19937_64 random(steps * 1000 + static_cast<std::size_t>(ratio * 100));
  int count = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto a = run(random, steps, 1, spread, memory), b = run(random, steps, ratio, spread, memory);
    count += frx::derive::compare::judge(a, b, noise_floor).answer != Answer::cannot_tell;
  }
  return 100.0 * count / rounds;
}

// The same with one step of each side that takes four times as long, as one that waited for a disk does.
double told_with_outliers(std::size_t steps, double ratio) {
  std::mt19937_64 random(steps * 1000 + static_cast<std::size_t>(ratio * 100));
  int count = 0;
  for (int i = 0; i < rounds; ++i) {
    auto a = run(random, steps, 1, 0.05, 0), b = run(random, steps, ratio, 0.05, 0);
    a[random() % steps] *= 4;
    b[random() % steps] *= 4;
    count += frx::derive::compare::judge(a, b).answer != Answer::cannot_tell;
  }
  return 100.0 * count / rounds;
}

// Runs that drift as a whole by 5 %, of 30 steps that scatter by 2 %: how often the second is told from the first when `baselines` runs of
// the first set the floor.
double told_of_drifting(std::size_t baselines, double ratio) {
  std::mt19937_64 random(baselines * 1000 + static_cast<std::size_t>(ratio * 100));
  std::normal_distribution<double> drift(0, 0.05);
  const auto drifting = [&](double median) { return run(random, 30, median * std::exp(drift(random)), 0.02, 0); };
  const auto median_of = [](std::vector<double> times) {
    std::ranges::sort(times);
    return frx::derive::compare::median_of_sorted(times);
  };
  int count = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto a = drifting(1), b = drifting(ratio);
    std::vector<double> medians = {median_of(a)};
    while (medians.size() < baselines) medians.push_back(median_of(drifting(1)));
    const double floor = std::max(frx::derive::compare::default_noise_floor, frx::derive::compare::spread_of(medians).share_less());
    count += frx::derive::compare::judge(a, b, floor).answer != Answer::cannot_tell;
  }
  return 100.0 * count / rounds;
}

}  // namespace

int main() {
  constexpr std::size_t steps[] = {3, 5, 8, 12, 20, 40, 100};
  fmt::print("| steps a side | the same program | with memory 0.5 | 2 % floor |\n|---:|---:|---:|---:|\n");
  for (const std::size_t n : steps)
    fmt::print("| {} | {:.2f} % | {:.2f} % | {:.2f} % |\n", n, told(n, 1, 0.05, 0, 0), told(n, 1, 0.05, 0.5, 0),
               told(n, 1, 0.05, 0.5, 0.02));
  fmt::print("\n| steps a side | 5 % faster | 10 % | 20 % | 50 % |\n|---:|---:|---:|---:|---:|\n");
  for (const std::size_t n : steps) {
    fmt::print("| {} |", n);
    for (const double ratio : {0.95, 0.9, 0.8, 0.5}) fmt::print(" {:.0f} % |", told(n, ratio, 0.05, 0, 0.02));
    fmt::print("\n");
  }
  fmt::print(
      "\n| steps a side, one of them four times as long | the same program | 20 % faster | 33 % | 50 % |\n|---:|---:|---:|---:|---:|\n");
  for (const std::size_t n : {5, 6, 8, 12, 20}) {
    fmt::print("| {} | {:.2f} % |", n, told_with_outliers(n, 1));
    for (const double ratio : {0.8, 0.67, 0.5}) fmt::print(" {:.0f} % |", told_with_outliers(n, ratio));
    fmt::print("\n");
  }
  fmt::print("\n| runs of the first | the same program | 20 % faster | 33 % | 50 % |\n|---:|---:|---:|---:|---:|\n");
  for (const std::size_t n : {1, 2, 3, 4, 5, 8, 12}) {
    fmt::print("| {} | {:.2f} % |", n, told_of_drifting(n, 1));
    for (const double ratio : {0.8, 0.67, 0.5}) fmt::print(" {:.0f} % |", told_of_drifting(n, ratio));
    fmt::print("\n");
  }
}
