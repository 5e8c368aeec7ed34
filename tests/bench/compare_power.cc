// How often frx compare tells a difference, by simulation: the tables of docs/validation/compare.md, in Markdown.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

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
}
