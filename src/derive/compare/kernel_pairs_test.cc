#include "derive/compare/kernel_pairs.h"

#include <gtest/gtest.h>

namespace frx::derive::compare {
namespace {

using Names = std::vector<std::string>;

// "copy=copy", "old=new", "a+b=c" (as a whole), "gone=".
std::string shown(const Names& first, const Names& second) {
  std::string text;
  const auto add = [&](const Names& names, const std::vector<std::size_t>& which) {
    for (std::size_t i = 0; i < which.size(); ++i) text += (i > 0 ? "+" : "") + names[which[i]];
  };
  for (const KernelPair& pair : pair_up(first, second)) {
    if (!text.empty()) text += ' ';
    add(first, pair.first);
    text += '=';
    add(second, pair.second);
  }
  return text;
}

TEST(KernelPairs, GoByName) { EXPECT_EQ(shown({"scale", "copy"}, {"copy", "scale"}), "copy=copy scale=scale"); }

TEST(KernelPairs, TakeTheOnlyOnesLeftForTheSameWork) {
  EXPECT_EQ(shown({"naive"}, {"tiled"}), "naive=tiled");
  EXPECT_EQ(shown({"init", "naive"}, {"init", "tiled"}), "init=init naive=tiled");
}

TEST(KernelPairs, CompareSeveralThatAreLeftAsAWhole) {
  EXPECT_EQ(shown({"multiply", "add"}, {"multiply_add"}), "add+multiply=multiply_add");
}

TEST(KernelPairs, LeaveAKernelOfOneSideAlone) {
  EXPECT_EQ(shown({"reduce"}, {"reduce", "reduce_rest"}), "reduce=reduce =reduce_rest");
  EXPECT_EQ(shown({"reduce", "old"}, {"reduce"}), "reduce=reduce old=");
}

TEST(KernelPairs, OfOneNameGoInTheirOrder) { EXPECT_EQ(shown({"f", "f"}, {"f"}), "f=f f="); }

TEST(KernelPairs, OfNothingAreNone) { EXPECT_EQ(shown({}, {}), ""); }

TEST(KernelPairs, ExchangeWithTheSides) {
  const Names first = {"b", "a", "x", "y"}, second = {"z", "a", "b"};
  const auto there = pair_up(first, second), back = pair_up(second, first);
  ASSERT_EQ(there.size(), back.size());
  for (std::size_t i = 0; i < there.size(); ++i) {
    EXPECT_EQ(there[i].first, back[i].second);
    EXPECT_EQ(there[i].second, back[i].first);
  }
}

}  // namespace
}  // namespace frx::derive::compare
