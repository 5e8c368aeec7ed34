#include "base/intervals.h"

#include <gtest/gtest.h>

#include <random>

namespace frx {
namespace {

TEST(Intervals, UniteWhatOverlapsOrTouches) {
  EXPECT_EQ(united({{10, 20}, {0, 5}, {20, 25}, {12, 14}, {7, 7}, {9, 8}}), (Intervals{{0, 5}, {10, 25}}));
  EXPECT_TRUE(united({}).empty());
}

TEST(Intervals, CommonAndWithoutDivideTheFirst) {
  const Intervals a{{0, 10}, {20, 30}}, b{{5, 22}, {25, 26}, {40, 50}};
  EXPECT_EQ(common(a, b), (Intervals{{5, 10}, {20, 22}, {25, 26}}));
  EXPECT_EQ(without(a, b), (Intervals{{0, 5}, {22, 25}, {26, 30}}));
}

TEST(Intervals, TotalsOfSpansThatOverlap) {
  EXPECT_EQ(total_in_each(Intervals{{0, 10}, {5, 40}, {41, 50}, {100, 90}}, Intervals{{2, 4}, {8, 20}}),
            (std::vector<std::int64_t>{4, 12, 0, 0}));
}

// Against a line of a hundred nanoseconds, one by one.
TEST(Intervals, AgreeWithCountingEveryNanosecond) {
  std::mt19937 random(7);
  const auto some = [&] {
    std::vector<Interval> list(random() % 12);
    for (Interval& one : list) one = {static_cast<std::int64_t>(random() % 100), static_cast<std::int64_t>(random() % 100)};
    return list;
  };
  const auto covers = [](std::span<const Interval> list, std::int64_t at) {
    return std::ranges::any_of(list, [&](const Interval& one) { return one.begin <= at && at < one.end; });
  };
  for (int round = 0; round < 500; ++round) {
    const auto any = some();
    const Intervals a = united(any), b = united(some());
    const Interval span{static_cast<std::int64_t>(random() % 60), 80};
    std::int64_t in_span = 0;
    for (std::int64_t at = 0; at < 100; ++at) {
      ASSERT_EQ(covers(a, at), covers(any, at));
      ASSERT_EQ(covers(common(a, b), at), covers(a, at) && covers(b, at));
      ASSERT_EQ(covers(without(a, b), at), covers(a, at) && !covers(b, at));
      in_span += at >= span.begin && at < span.end && covers(a, at);
    }
    ASSERT_EQ(total_in_each(std::span(&span, 1), a).front(), in_span);
  }
}

}  // namespace
}  // namespace frx
