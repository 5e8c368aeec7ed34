#include "derive/compare/two_samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace frx::derive::compare {
namespace {

constexpr double normal_quantile = 2.5758;  // of 99.5 %
// Student's quantile of 99.5 % for 2, 3, ... degrees of freedom.
constexpr std::array<double, fewest_for_ranks - fewest_values> student_quantile = {
    9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878};
// The assumed correlation of neighbouring steps where it cannot be measured; it can in 8 values or more.
constexpr double usual_autocorrelation = 0.2;
constexpr std::size_t fewest_to_show_it = 8;
constexpr std::size_t fewest_for_trimming = 5;

struct Side {
  std::vector<double> sorted;  // logarithms
  double effective = 0;        // independent values
};

std::vector<double> logarithms(std::span<const double> times) {
  std::vector<double> values;
  for (const double time : times) {
    if (time > 0 && std::isfinite(time)) values.push_back(std::log(time));
  }
  return values;
}

// Equal values share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
  }
  return ranks;
}

// The correlation of neighbours in time.
double autocorrelation(const std::vector<double>& values) {
  if (values.size() < fewest_to_show_it) return usual_autocorrelation;
  const std::vector<double> ranks = ranks_of(values);
  const double mean = static_cast<double>(ranks.size() - 1) / 2;
  double variance = 0, together = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    variance += (ranks[i] - mean) * (ranks[i] - mean);
    if (i > 0) together += (ranks[i] - mean) * (ranks[i - 1] - mean);
  }
  if (variance == 0 || together <= 0) return 0;
  constexpr double highest = 0.95;  // a drift through the whole run
  const double seen = together / variance;
  // Short runs underestimate it (Marriott and Pope's correction).
  return std::min(highest, seen + (1 + 4 * seen) / static_cast<double>(ranks.size()));
}

Side side_of(std::span<const double> times) {
  Side side{logarithms(times), 0};
  const double repeated = autocorrelation(side.sorted);
  side.effective = static_cast<double>(side.sorted.size()) * (1 - repeated) / (1 + repeated);
  std::ranges::sort(side.sorted);
  return side;
}

// How many differences b - a are at most `limit`. Both sorted.
double count_differences(const std::vector<double>& a, const std::vector<double>& b, double limit) {
  double count = 0;
  std::size_t beyond = 0;  // of b: values above a[i] + limit begin here
  for (const double value : a) {
    while (beyond < b.size() && b[beyond] - value <= limit) ++beyond;
    count += static_cast<double>(beyond);
  }
  return count;
}

// The k-th smallest difference b - a, k from 1, by bisection: there are too many to store them.
double difference(const std::vector<double>& a, const std::vector<double>& b, double k) {
  double low = b.front() - a.back(), high = b.back() - a.front();
  if (count_differences(a, b, low) >= k) return low;
  for (int i = 0; i < 60 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    (count_differences(a, b, middle) >= k ? high : low) = middle;
  }
  return high;
}

double median_difference(const std::vector<double>& a, const std::vector<double>& b) {
  const double pairs = static_cast<double>(a.size()) * static_cast<double>(b.size());
  return (difference(a, b, std::floor((pairs + 1) / 2)) + difference(a, b, std::ceil((pairs + 1) / 2))) / 2;
}

struct Interval {
  double middle, low, high;
};

// The factor by which an interval widens because the values are not independent.
double widening(const Side& a, const Side& b) {
  const double n = static_cast<double>(a.sorted.size()), m = static_cast<double>(b.sorted.size());
  return std::sqrt((1 / a.effective + 1 / b.effective) / (1 / n + 1 / m));
}

Interval by_ranks(const Side& a, const Side& b) {
  const double n = static_cast<double>(a.sorted.size()), m = static_cast<double>(b.sorted.size());
  const double half = normal_quantile * std::sqrt(n * m * (n + m + 1) / 12) * widening(a, b);
  const double k = std::floor(n * m / 2 - half - 0.5);
  const double middle = median_difference(a.sorted, b.sorted);
  if (k < 1) return {middle, -HUGE_VAL, HUGE_VAL};
  return {middle, difference(a.sorted, b.sorted, k), difference(a.sorted, b.sorted, n * m + 1 - k)};
}

struct Moments {
  double mean, variance;
};
Moments moments_of(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, squares / (n - 1)};
}

Interval by_means(const Side& a, const Side& b) {
  const Moments first = moments_of(a.sorted), second = moments_of(b.sorted);
  const double n = static_cast<double>(a.sorted.size()), m = static_cast<double>(b.sorted.size());
  const double error = std::sqrt(first.variance / n + second.variance / m) * widening(a, b);
  const double half = student_quantile[std::min(a.sorted.size(), b.sorted.size()) - fewest_values] * error;
  const double middle = second.mean - first.mean;
  return {middle, middle - half, middle + half};
}

// The mean without the largest and the smallest value, and its squared error from the values with these two replaced by their neighbours
// (Yuen 1974). Of fewer than five values nothing is left out.
struct Trimmed {
  double mean, squared_error;
  std::size_t kept;
};
Trimmed trimmed(const std::vector<double>& sorted) {
  const Moments all = moments_of(sorted);
  if (sorted.size() < fewest_for_trimming) return {all.mean, all.variance / static_cast<double>(sorted.size()), sorted.size()};
  std::vector<double> replaced = sorted;
  replaced.front() = sorted[1];
  replaced.back() = sorted[sorted.size() - 2];
  const double n = static_cast<double>(sorted.size()), kept = n - 2;
  const double mean = std::accumulate(sorted.begin() + 1, sorted.end() - 1, 0.0) / kept;
  return {mean, (n - 1) * moments_of(replaced).variance / (kept * (kept - 1)), sorted.size() - 2};
}

Interval by_trimmed_means(const Side& a, const Side& b) {
  const Trimmed first = trimmed(a.sorted), second = trimmed(b.sorted);
  const double error = std::sqrt(first.squared_error + second.squared_error) * widening(a, b);
  const double half = student_quantile[std::min(first.kept, second.kept) - fewest_values] * error;
  const double middle = second.mean - first.mean;
  return {middle, middle - half, middle + half};
}

// One step that waited for something else makes the spread of a few meaningless. Without its extremes each side shows what the others do;
// where no step stands out, the means of all values say more.
Interval of_few(const Side& a, const Side& b) {
  const Interval all = by_means(a, b), without = by_trimmed_means(a, b);
  return without.high - without.low < all.high - all.low ? without : all;
}

void answer(Judgement& judgement, const Interval& interval, double noise_floor) {
  const double floor = -std::log1p(-noise_floor);
  if (interval.high < -floor) {
    judgement.answer = Answer::better;
  } else if (interval.low > floor) {
    judgement.answer = Answer::worse;
  }
  const bool is_conclusive = judgement.answer != Answer::cannot_tell;
  const bool is_within = interval.low >= -floor && interval.high <= floor;
  judgement.doubt = is_conclusive ? Doubt::none : is_within ? Doubt::within_noise : Doubt::too_scattered;
}

}  // namespace

std::string_view name_of(Answer answer) {
  switch (answer) {
    case Answer::better: return "better";
    case Answer::worse: return "worse";
    case Answer::cannot_tell: return "cannot_tell";
  }
  return {};
}

Judgement judge(std::span<const double> first, std::span<const double> second, double noise_floor) {
  const Side a = side_of(first), b = side_of(second);
  Judgement judgement;
  judgement.first = a.sorted.size();
  judgement.second = b.sorted.size();
  judgement.first_effective = a.effective;
  judgement.second_effective = b.effective;
  const std::size_t fewest = std::min(judgement.first, judgement.second);
  if (fewest == 0) return judgement;
  if (fewest < fewest_values) {
    judgement.ratio = std::exp(median_difference(a.sorted, b.sorted));
    return judgement;
  }
  const Interval interval = fewest < fewest_for_ranks ? of_few(a, b) : by_ranks(a, b);
  judgement.ratio = std::exp(interval.middle);
  if (std::isfinite(interval.low)) {
    judgement.low = std::exp(interval.low);
    judgement.high = std::exp(interval.high);
  }
  answer(judgement, interval, noise_floor);
  return judgement;
}

double median_of_sorted(std::span<const double> values) {
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return median_of_sorted(values);
}

double median_deviation(std::span<const double> values, double median) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - median));
  return median_of(std::move(distances));
}

}  // namespace frx::derive::compare
