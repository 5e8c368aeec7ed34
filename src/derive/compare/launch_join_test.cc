#include "derive/compare/launch_join.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace frx::derive::compare {
namespace {

JoinedLaunch launch(std::string_view name, std::uint32_t blocks = 1, std::int64_t stream = 7) {
  JoinedLaunch one;
  one.name = name;
  one.grid = {blocks, 1, 1};
  one.block = {256, 1, 1};
  one.device = 0;
  one.stream = stream;
  return one;
}

std::string joined(const std::vector<JoinedLaunch>& first, const std::vector<JoinedLaunch>& second) {
  std::string text;
  for (const LaunchMatch& match : join_launches(first, second).matches)
    text += fmt::format("{}{}-{} {}", text.empty() ? "" : ", ", match.first, match.second, word_for(match.quality));
  return text;
}

TEST(LaunchJoin, NamesOfBothToolsAreOne) {
  EXPECT_EQ(joined({launch("void <unnamed>::k<(int)4>(float *)")}, {launch("void (anonymous namespace)::k<4>(float*)")}), "0-0 exact");
  EXPECT_EQ(joined({launch("triton_1"), launch("triton_10")}, {launch("triton_10"), launch("triton_1")}).find("0-0"), std::string::npos);
}

TEST(LaunchJoin, AnotherShapeIsAnotherLaunch) {
  const LaunchJoin join = join_launches(std::vector{launch("k", 8)}, std::vector{launch("k", 9), launch("other")});
  EXPECT_TRUE(join.matches.empty());
  EXPECT_EQ(join.first[0], Unmatched::other_shape);
  EXPECT_EQ(join.second[0], Unmatched::other_shape);
  EXPECT_EQ(join.second[1], Unmatched::unknown_name);
}

TEST(LaunchJoin, WhereASideHasNoShapeTheNameDecides) {
  std::vector<JoinedLaunch> bare = {launch("a"), launch("b")};
  for (JoinedLaunch& one : bare) one.grid = one.block = std::nullopt;
  EXPECT_EQ(joined(bare, {launch("a", 3), launch("b", 4)}), "0-0 name_only, 1-1 name_only");
}

TEST(LaunchJoin, WhatOneRunHasMoreStaysAlone) {
  const LaunchJoin join =
      join_launches(std::vector{launch("a"), launch("b"), launch("b"), launch("c")}, std::vector{launch("a"), launch("b"), launch("c")});
  ASSERT_EQ(join.matches.size(), 3u);
  EXPECT_EQ(join.matches[0].quality, MatchQuality::exact);
  EXPECT_EQ(join.matches[1].quality, MatchQuality::gap_run);
  EXPECT_EQ(std::ranges::count(join.first, Unmatched::surplus), 1);
}

TEST(LaunchJoin, StreamsMayTakeTurnsDifferentlyAndHaveOtherNumbers) {
  std::vector<JoinedLaunch> first, second;
  for (std::uint32_t i = 0; i < 20; ++i) {
    first.push_back(launch("gemm", i, 13));
    first.push_back(launch("copy", i % 3, 14));
  }
  for (std::uint32_t i = 0; i < 20; ++i) second.push_back(launch("copy", i % 3, 20));
  for (std::uint32_t i = 0; i < 20; ++i) second.push_back(launch("gemm", i, 21));
  const LaunchJoin join = join_launches(first, second);
  ASSERT_EQ(join.matches.size(), 40u);
  for (const LaunchMatch& match : join.matches) {
    EXPECT_EQ(match.quality, MatchQuality::exact);
    EXPECT_EQ(match.second, match.first % 2 == 0 ? 20 + match.first / 2 : match.first / 2);
  }
}

TEST(LaunchJoin, WithoutStreamsWhatTookTurnsDifferentlyIsInDoubt) {
  std::vector<JoinedLaunch> first = {launch("a"), launch("b"), launch("c")}, second = {launch("b"), launch("c"), launch("a")};
  for (JoinedLaunch& one : second) one.stream.reset();
  EXPECT_EQ(joined(first, second), "0-2 gap_run, 1-0 exact, 2-1 exact");
}

TEST(LaunchJoin, RegistersTellKernelsApartWhereBothSidesCountThemAlike) {
  std::vector<JoinedLaunch> first = {launch("k"), launch("k")}, second = {launch("k")};
  first[0].registers = 32;
  first[1].registers = 64;
  second[0].registers = 32;
  EXPECT_EQ(joined(first, second), "0-0 exact");
  second[0].registers = 40;  // counted otherwise, so they say nothing
  EXPECT_EQ(joined(first, second), "1-0 gap_run");
}

TEST(LaunchJoin, OneDeviceIsTheSameWhateverItsNumber) {
  std::vector<JoinedLaunch> first = {launch("k")}, second = {launch("k")};
  second[0].device = 3;
  EXPECT_EQ(joined(first, second), "0-0 exact");
}

TEST(LaunchJoin, NoLaunchIsTakenTwice) {
  std::mt19937 random(4);
  const std::string names[] = {"a", "b", "void c<(int)1>(int)", "d"};
  for (int round = 0; round < 500; ++round) {
    const auto launches = [&] {
      std::vector<JoinedLaunch> made;
      for (std::size_t i = random() % 30; i > 0; --i) {
        made.push_back(launch(names[random() % 4], 1 + random() % 2, 7 + random() % 2));
        if (random() % 5 == 0) made.back().grid.reset();
      }
      return made;
    };
    const std::vector<JoinedLaunch> first = launches(), second = launches();
    const LaunchJoin join = join_launches(first, second);
    std::vector<bool> a(first.size()), b(second.size());
    for (const LaunchMatch& match : join.matches) {
      EXPECT_FALSE(a[match.first] || b[match.second]);
      a[match.first] = b[match.second] = true;
      EXPECT_EQ(first[match.first].name, second[match.second].name);
    }
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], join.first[i] == Unmatched::matched);
  }
}

}  // namespace
}  // namespace frx::derive::compare
