#include "base/in_order.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace frx {
namespace {

constexpr std::size_t slots = 4;

// The numbers below `count`, doubled.
struct Numbers : Pieces {
  bool read(std::size_t slot) override {
    if (next == count) return false;
    held[slot] = next++;
    return true;
  }
  void work(std::size_t slot) override {
    if (held[slot] == bad) throw std::runtime_error("a bad number");
    held[slot] *= 2;
  }
  bool take(std::size_t slot) override {
    taken.push_back(held[slot]);
    return held[slot] != last;
  }

  int count = 1000, next = 0, bad = -1, last = -1;
  int held[slots] = {};
  std::vector<int> taken;
};

TEST(InOrder, EveryPieceIsTakenInTheOrderOfReading) {
  Numbers numbers;
  take_in_order(slots, numbers);
  ASSERT_EQ(numbers.taken.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(numbers.taken[i], 2 * i);
}

TEST(InOrder, NothingIsTakenAfterTheLastThatIsWanted) {
  Numbers numbers;
  numbers.last = 2 * 500;
  take_in_order(slots, numbers);
  EXPECT_EQ(numbers.taken.size(), 501u);
  EXPECT_LE(numbers.next, 501 + static_cast<int>(slots));
}

TEST(InOrder, AnExceptionEndsAllAndComesOut) {
  Numbers numbers;
  numbers.bad = 500;
  EXPECT_THROW(take_in_order(slots, numbers), std::runtime_error);
  EXPECT_LE(numbers.taken.size(), 500u);
  for (std::size_t i = 0; i < numbers.taken.size(); ++i) EXPECT_EQ(numbers.taken[i], 2 * static_cast<int>(i));
}

TEST(InOrder, NoPieceIsNoWork) {
  Numbers numbers;
  numbers.count = 0;
  take_in_order(slots, numbers);
  EXPECT_TRUE(numbers.taken.empty());
}

}  // namespace
}  // namespace frx
