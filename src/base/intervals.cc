#include "base/intervals.h"

#include <algorithm>
#include <utility>

namespace frx {

Intervals united(std::vector<Interval> any) {
  std::erase_if(any, [](const Interval& one) { return one.end <= one.begin; });
  if (!std::ranges::is_sorted(any, {}, &Interval::begin)) std::ranges::sort(any, {}, &Interval::begin);
  std::size_t kept = 0;
  for (const Interval& one : any) {
    if (kept > 0 && one.begin <= any[kept - 1].end) {
      any[kept - 1].end = std::max(any[kept - 1].end, one.end);
    } else {
      any[kept++] = one;
    }
  }
  any.resize(kept);
  return any;
}

namespace {

template <typename Take>
void for_each_common(std::span<const Interval> a, std::span<const Interval> b, Take take) {
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const Interval both{std::max(a[i].begin, b[k].begin), std::min(a[i].end, b[k].end)};
    if (both.begin < both.end) take(both);
    a[i].end < b[k].end ? ++i : ++k;
  }
}

template <typename Take>
void for_each_without(std::span<const Interval> a, std::span<const Interval> b, Take take) {
  std::size_t k = 0;
  for (Interval rest : a) {
    while (k < b.size() && b[k].end <= rest.begin) ++k;
    for (std::size_t i = k; i < b.size() && b[i].begin < rest.end; ++i) {
      if (b[i].begin > rest.begin) take(Interval{rest.begin, b[i].begin});
      rest.begin = b[i].end;
    }
    if (rest.begin < rest.end) take(rest);
  }
}

// They are counted first: there may be millions, and a growing vector takes three times the memory.
template <typename ForEach>
Intervals collected(ForEach for_each) {
  std::size_t count = 0;
  for_each([&](const Interval&) { ++count; });
  Intervals result;
  result.reserve(count);
  for_each([&](const Interval& one) { result.push_back(one); });
  return result;
}

}  // namespace

Intervals common(std::span<const Interval> a, std::span<const Interval> b) {
  return collected([&](auto take) { for_each_common(a, b, take); });
}

Intervals without(std::span<const Interval> a, std::span<const Interval> b) {
  return collected([&](auto take) { for_each_without(a, b, take); });
}

Intervals without(Intervals&& a, std::span<const Interval> b) {
  return b.empty() ? std::move(a) : without(std::span<const Interval>(a), b);
}

std::int64_t total(std::span<const Interval> intervals) {
  std::int64_t sum = 0;
  for (const Interval& one : intervals) sum += one.length();
  return sum;
}

std::vector<std::int64_t> total_in_each(std::span<const Interval> spans, std::span<const Interval> intervals) {
  // The covered time before every n-th interval: a query then takes two searches, two short sums and two ends.
  constexpr std::size_t stride = 32;
  std::vector<std::int64_t> before;
  before.reserve(intervals.size() / stride + 1);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (i % stride == 0) before.push_back(sum);
    sum += intervals[i].length();
  }
  const auto covered_until = [&](std::int64_t time) {
    const auto next = std::ranges::lower_bound(intervals, time, {}, &Interval::begin);
    const auto count = static_cast<std::size_t>(next - intervals.begin());
    if (count == 0) return std::int64_t{0};
    const std::size_t from = (count - 1) / stride;
    const std::int64_t rest = total(intervals.subspan(from * stride, count - from * stride));
    return before[from] + rest - std::max<std::int64_t>(0, intervals[count - 1].end - time);
  };
  std::vector<std::int64_t> result;
  for (const Interval& span : spans) result.push_back(span.end > span.begin ? covered_until(span.end) - covered_until(span.begin) : 0);
  return result;
}

}  // namespace frx
