#include "history/change_points.h"

#include <algorithm>
#include <cmath>

#include "derive/compare/two_samples.h"

namespace frx::history {
namespace {

constexpr std::array<std::size_t, 8> lengths = {4, 8, 16, 32, 64, 128, 256, 512};
constexpr std::size_t reference_lengths = 3;  // the reference is so many times as long
constexpr std::size_t most_places = 256;      // earlier differences that are remembered for each length
constexpr std::size_t quarters = 4;
constexpr double of_normal = 1.4826;  // median deviation to standard deviation

// A length with too few places borrows the scale of one that is one or two steps shorter and was seen at so many; for each step it is taken
// to grow as it did in the step before, and by this factor.
constexpr std::size_t most_steps = 2, places_to_lend = 32;
constexpr double margin_of_step = 1.1;

// Limits, as multiples of the robust scale and of the largest difference at earlier places. Short lengths see single slow runs and need
// more.
struct Limits {
  double scale, largest, agreement;
};
constexpr Limits limits_of(std::size_t i) {
  constexpr double of_scale = 4.2;
  if (i == 0) return {1.5 * of_scale, 1.5 * 2.4, 0.7};
  return i == 1 ? Limits{of_scale, 2.2, 0.7} : Limits{of_scale, 1.7, 0.35};
}
// A scale that is known from few places may be too small.
double for_few(std::size_t places) { return 1 + 6.0 / static_cast<double>(places); }

// Differences at one length.
struct Length {
  std::vector<double> past;  // the last ones, half a length apart
  std::size_t oldest = 0;    // in `past`, once it is full
  std::size_t waited = 0;    // values since one was put aside
  // The last two count a length later, when they are known to contain no change; the earlier one first.
  std::array<std::optional<double>, 2> put_aside;
  double centre = 0, scale = 0, largest = 0;

  bool is_known() const { return past.size() >= fewest_places; }

  void note(double difference) {
    if (past.size() < most_places) {
      past.push_back(difference);
    } else {
      past[oldest] = difference;
      oldest = (oldest + 1) % most_places;
    }
    std::vector<double> sorted = past;
    centre = derive::compare::upper_median(sorted);
    for (double& value : sorted) value = std::abs(value - centre);
    largest = std::ranges::max(sorted);
    scale = of_normal * derive::compare::upper_median(sorted);
  }

  void pass_by(double difference, std::size_t b) {
    if (++waited < b / 2) return;
    waited = 0;
    if (put_aside[0]) note(*put_aside[0]);
    put_aside = {put_aside[1], difference};
  }
};

// What a difference is without a change, and how far from it a change begins.
struct Expected {
  double centre = 0, limit = 0;
};

class Finder {
 public:
  explicit Finder(std::size_t count) {
    smooth_.reserve(count);
    sums_.reserve(count + 1);
    sums_.push_back(0);
  }

  // The logarithm of the next value.
  std::optional<ChangePoint> take(double value);
  std::optional<Expected> expected(std::size_t i) const;

 private:
  double mean(std::size_t from, std::size_t to) const { return (sums_[to] - sums_[from]) / static_cast<double>(to - from); }
  double smoothed(double value);
  double scale(std::size_t i) const;
  double limit(std::size_t i) const;
  bool is_change(std::size_t i, double difference) const;
  ChangePoint located(std::size_t b) const;
  void begin_again(const ChangePoint& change);

  double last_ = 0, before_last_ = 0;
  std::vector<double> smooth_, sums_;
  std::array<Length, lengths.size()> all_;
  std::size_t begin_ = 0;  // of the present level
};

// Longer means scatter no less than independent values would make them.
double Finder::scale(std::size_t i) const {
  double result = all_[i].scale;
  for (std::size_t k = 0; k < i; ++k) {
    if (all_[k].is_known())
      result = std::max(result, all_[k].scale * std::sqrt(static_cast<double>(lengths[k]) / static_cast<double>(lengths[i])));
  }
  return result;
}

double Finder::limit(std::size_t i) const {
  const Length& one = all_[i];
  return std::max(limits_of(i).scale * for_few(one.past.size()) * scale(i), limits_of(i).largest * one.largest);
}

std::optional<Expected> Finder::expected(std::size_t i) const {
  std::optional<Expected> result;
  if (all_[i].is_known()) result = Expected{all_[i].centre, limit(i)};
  for (std::size_t steps = 1; steps <= most_steps && steps < i; ++steps) {
    const Length& lender = all_[i - steps];
    if (lender.past.size() < places_to_lend) continue;
    const double grows = scale(i - steps - 1) > 0 ? scale(i - steps) / scale(i - steps - 1) : 1;
    const double factor = std::pow(std::max(std::sqrt(0.5), grows) * margin_of_step, static_cast<double>(steps));
    const double centre = result ? result->centre : std::ldexp(lender.centre, static_cast<int>(steps));  // a drift grows with the length
    const double lent = limit(i - steps) * factor;
    if (!result || lent < result->limit) result = Expected{centre, lent};
    break;
  }
  if (result) result->limit = std::max(result->limit, least_change);
  return result;
}

// Single slow values move a mean, and not all of its quarters.
bool Finder::is_change(std::size_t i, double difference) const {
  const std::optional<Expected> without = expected(i);
  if (!without) return false;
  const double beyond = difference - without->centre;
  if (std::abs(beyond) <= without->limit) return false;
  const std::size_t n = smooth_.size(), b = lengths[i], part = b / quarters;
  const double reference = mean(n - (reference_lengths + 1) * b, n - b) + without->centre;
  for (std::size_t at = n - b; at < n; at += part) {
    if ((mean(at, at + part) - reference) / beyond < limits_of(i).agreement) return false;
  }
  return true;
}

// The place in the last values at which the levels on both sides differ most, weighted by how many there are.
ChangePoint Finder::located(std::size_t b) const {
  const std::size_t end = smooth_.size(), from = end - (reference_lengths + 1) * b;
  std::size_t best = end - b;
  double most = -1;
  for (std::size_t at = from + 2; at + 2 <= end; ++at) {
    const double left = static_cast<double>(at - from), right = static_cast<double>(end - at);
    const double gain = std::abs(mean(at, end) - mean(from, at)) * std::sqrt(left * right / (left + right));
    if (gain > most) {
      most = gain;
      best = at;
    }
  }
  const double ratio = std::exp(mean(best, end) - mean(from, best));
  // The median of three shows a change one value late.
  return {best > from + 2 ? best - 1 : best, end - 1, ratio, b};
}

void Finder::begin_again(const ChangePoint& change) {
  begin_ = change.at + 1;
  for (Length& one : all_) {
    one.waited = 0;
    one.put_aside = {};
  }
}

double Finder::smoothed(double value) {
  double result = value;
  if (smooth_.size() >= 2) result = std::max(std::min(before_last_, last_), std::min(std::max(before_last_, last_), value));
  before_last_ = last_;
  last_ = value;
  return result;
}

std::optional<ChangePoint> Finder::take(double value) {
  smooth_.push_back(smoothed(value));
  sums_.push_back(sums_.back() + smooth_.back());
  const std::size_t n = smooth_.size();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t b = lengths[i];
    if (n < begin_ + (reference_lengths + 1) * b) break;
    const double difference = mean(n - b, n) - mean(n - (reference_lengths + 1) * b, n - b);
    if (is_change(i, difference)) {
      const ChangePoint change = located(b);
      begin_again(change);
      return change;
    }
    all_[i].pass_by(difference, b);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> ChangePoints::found_within(double share) const {
  const auto at = std::ranges::find_if(detectable, [&](const Detectable& one) { return one.share <= share; });
  return at == detectable.end() ? std::nullopt : std::optional(at->length);
}

std::optional<Detectable> ChangePoints::smallest() const {
  if (detectable.empty()) return std::nullopt;
  return *std::ranges::min_element(detectable, {}, &Detectable::share);
}

double expected_alarms_per_10000(std::size_t values) {
  constexpr std::size_t many = 2000;
  return values < many ? 6 : 2;
}

ChangePoints find_changes(std::span<const double> values) {
  ChangePoints result;
  result.values = values.size();
  result.has_other_values = std::ranges::any_of(values, [](double value) { return !(value > 0) || !std::isfinite(value); });
  if (result.has_other_values) return result;
  Finder finder(values.size());
  for (const double value : values) {
    if (const std::optional<ChangePoint> change = finder.take(std::log(value))) result.found.push_back(*change);
  }
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (const std::optional<Expected> one = finder.expected(i)) result.detectable.push_back({lengths[i], std::expm1(one->limit)});
  }
  return result;
}

}  // namespace frx::history
