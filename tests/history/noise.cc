#include "history/noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "history/change_points.h"

namespace frx::testing {
namespace {

constexpr double wave_length = 400;

// Of mean about 0 and variance about 1, but for the outliers.
double innovation(Innovation kind, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  switch (kind) {
    case Innovation::normal: break;
    case Innovation::student: return std::student_t_distribution<double>(3)(random) / std::sqrt(3.0);
    case Innovation::skewed: return (std::exp(normal(random)) - 1.6487) / 2.1612;  // logarithmic normal
    case Innovation::outliers: return normal(random) + (random() % 50 == 0 ? 20 * std::abs(normal(random)) : 0);
  }
  return normal(random);
}

}  // namespace

std::vector<NoiseModel> noise_models() {
  using enum Innovation;
  return {
      {"independent, normal", 0, normal},
      {"independent, Student's t with 3 degrees", 0, student},
      {"independent, logarithmic normal", 0, skewed},
      {"independent, one in 50 up to 60 times as far away", 0, outliers},
      {"correlation 0.5", 0.5, normal},
      {"correlation 0.8", 0.8, normal},
      {"correlation 0.9", 0.9, normal},
      {"correlation 0.95", 0.95, normal},
      {"correlation 0.98", 0.98, normal},
      {"correlation 0.5, Student's t", 0.5, student},
      {"correlation 0.8, logarithmic normal", 0.8, skewed},
      {"drift of 10 % in 10,000 runs", 0, normal, 1e-5},
      {"drift of 10 % in 10,000 runs, correlation 0.8, Student's t", 0.8, student, 1e-5},
      {"drift of 50 % in 10,000 runs, correlation 0.5", 0.5, normal, 5e-5},
      {"a wave of 4 % every 400 runs, correlation 0.5", 0.5, normal, 0, 0.02},
  };
}

std::vector<double> series_of(const NoiseModel& model, double sigma, std::size_t count, std::uint64_t seed, std::size_t step_at,
                              double step) {
  std::mt19937_64 random(seed);
  std::vector<double> values(count);
  double last = 0;
  const double fresh = std::sqrt(1 - model.correlation * model.correlation);
  for (std::size_t i = 0; i < count; ++i) {
    const double next = innovation(model.innovation, random), at = static_cast<double>(i);
    last = i == 0 ? next : model.correlation * last + fresh * next;
    const double wave = model.wave * std::sin(2 * std::numbers::pi * at / wave_length);
    values[i] = 100 * std::exp(sigma * last + model.drift * at + wave) * (i >= step_at ? step : 1);
  }
  return values;
}

Delay delay_of(const NoiseModel& model, double sigma, double share, std::size_t history, std::size_t most, std::size_t series) {
  std::vector<double> delays;
  std::size_t missed = 0;
  for (std::size_t i = 0; i < series; ++i) {
    const auto changes = frx::history::find_changes(series_of(model, sigma, history + most, 77'000 + i, history, 1 + share));
    const auto found = std::ranges::find_if(
        changes.found, [&](const frx::history::ChangePoint& one) { return one.detected_at >= history && one.ratio > 1 + share / 3; });
    missed += found == changes.found.end();
    delays.push_back(static_cast<double>(found == changes.found.end() ? most : found->detected_at - history + 1));
  }
  std::ranges::sort(delays);
  return {static_cast<double>(missed) / static_cast<double>(series), delays[series / 2], delays[series * 9 / 10]};
}

double alarms_per_10000(const NoiseModel& model, std::size_t count, std::size_t series) {
  constexpr double sigma = 0.01;
  std::size_t alarms = 0;
  for (std::size_t i = 0; i < series; ++i) alarms += frx::history::find_changes(series_of(model, sigma, count, 1000 + i)).found.size();
  return 10'000.0 * static_cast<double>(alarms) / static_cast<double>(count * series);
}

}  // namespace frx::testing
