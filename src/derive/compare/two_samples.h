// Two sets of times: is the second better, worse, or is the comparison inconclusive?
//
// The answer is an interval, never a bare ratio. It is the ratio of times (second / first) that the data
// leave possible at 99 % confidence; the second side is better only when all of the interval lies below one
// minus the noise floor. Times are compared by their logarithms, so a factor counts the same in both directions and
// swapping the sides swaps the answer.
//
//   from 20 values a side  ranks (Mann-Whitney, Hodges-Lehmann): outliers and skew do not matter
//   from 3 values a side   means of logarithms, with the Student quantile of the smaller side (Welch's standard
//                          error, fewer degrees of freedom than Welch grants): small samples of skewed times would
//                          otherwise be called different too often; from 5 values on without the largest and the smallest,
//                          where that is the narrower interval: one outlying step decides nothing
//   fewer                  the comparison is inconclusive
//
// Neighbouring values of one run are correlated (clocks, caches, other load). Their repetition is no new evidence: the interval is widened
// by the autocorrelation of the ranks, or, where there are too few values to measure it, by a small assumed one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace frx::derive::compare {

enum class Answer { better, worse, cannot_tell };
std::string_view name_of(Answer answer);

// Why the comparison is inconclusive.
enum class Doubt {
  none,
  too_few,       // values on one side
  within_noise,  // the whole interval lies within the noise floor: practically equal
  too_scattered  // the interval contains a difference as well as none
};

struct Judgement {
  Answer answer = Answer::cannot_tell;
  Doubt doubt = Doubt::too_few;
  std::optional<double> ratio;                       // second / first; below 1: the second takes less time. None when a side is empty
  std::optional<double> low, high;                   // 99 % interval of it; none when there are too few values
  std::size_t first = 0, second = 0;                 // values used
  double first_effective = 0, second_effective = 0;  // the number of independent values they are equivalent to
};

inline constexpr std::size_t fewest_values = 3, fewest_for_ranks = 20;
// One run a side shows how much its own steps scatter, not how much two runs of the same program differ. Clocks and placement shift whole
// runs by about this much.
inline constexpr double default_noise_floor = 0.02;

// Times of one side in the order in which they were taken, above 0; others are left out. The smaller the better.
// `noise_floor`: differences up to this share do not count. O((n + m) log(n + m)).
Judgement judge(std::span<const double> first, std::span<const double> second, double noise_floor = default_noise_floor);

// Of at least one value, rising.
double median_of_sorted(std::span<const double> values);
// Of at least one value, in any order.
double median_of(std::vector<double> values);
// The value in the middle, of an even number the larger one of two; 0 of none. `values` is reordered.
template <class Value>
Value upper_median(std::vector<Value>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}
// The median distance of the values from `median` (MAD).
double median_deviation(std::span<const double> values, double median);

}  // namespace frx::derive::compare
