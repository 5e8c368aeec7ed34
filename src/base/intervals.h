// Time intervals: unions, intersections and differences, each in one pass.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace frx {

struct Interval {
  std::int64_t begin = 0, end = 0;  // ns; `end` is outside
  std::int64_t length() const { return end - begin; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Ascending, neither touching nor overlapping, none empty.
using Intervals = std::vector<Interval>;

// What any of them covers, in any order.
Intervals united(std::vector<Interval> any);
Intervals common(std::span<const Interval> a, std::span<const Interval> b);
Intervals without(std::span<const Interval> a, std::span<const Interval> b);
Intervals without(Intervals&& a, std::span<const Interval> b);  // no copy where `b` is empty
std::int64_t total(std::span<const Interval> intervals);
// How much of each of `spans` (ascending by begin, which may overlap) the intervals cover.
std::vector<std::int64_t> total_in_each(std::span<const Interval> spans, std::span<const Interval> intervals);

}  // namespace frx
