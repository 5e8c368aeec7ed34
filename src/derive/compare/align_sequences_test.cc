#include "derive/compare/align_sequences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

namespace frx::derive::compare {
namespace {

using Sequence = std::vector<std::uint32_t>;

std::string text_of(const std::vector<SequenceMatch>& matches) {
  std::string text;
  for (const SequenceMatch& match : matches)
    text += (text.empty() ? "" : " ") + std::to_string(match.first) + (match.is_certain ? "=" : "~") + std::to_string(match.second);
  return text;
}

std::string aligned(const Sequence& first, const Sequence& second) { return text_of(align_sequences(first, second)); }

TEST(AlignSequences, WhatIsMissingOnOneSideShiftsNothing) {
  EXPECT_EQ(aligned({1, 2, 3, 4}, {1, 2, 3, 4}), "0=0 1=1 2=2 3=3");
  EXPECT_EQ(aligned({1, 2, 3, 4}, {1, 3, 4}), "0=0 2=1 3=2");
  EXPECT_EQ(aligned({1, 3, 4}, {9, 1, 2, 3, 4}), "0=1 1=3 2=4");
  EXPECT_EQ(aligned({1, 2}, {3, 4}), "");
  EXPECT_EQ(aligned({}, {1}), "");
}

TEST(AlignSequences, AmongEqualsItIsInDoubtWhichOneIsMissing) {
  EXPECT_EQ(aligned({1, 1}, {1}), "1~0");
  EXPECT_EQ(aligned({5, 1, 1, 6}, {5, 1, 6}), "0=0 2~1 3=2") << "their neighbours are not in doubt";
  EXPECT_EQ(aligned({1, 2, 1, 2}, {1, 2}), "2~0 3~1") << "a whole iteration is missing";
  EXPECT_EQ(aligned({7, 1, 2, 1, 2, 8}, {7, 1, 2, 1, 2, 1, 2, 8}), "0=0 1~3 2~4 3~5 4~6 5=7") << "any of three iterations is the new one";
}

TEST(AlignSequences, WarmUpStandsAtTheBeginning) { EXPECT_EQ(aligned({1, 2, 3}, {9, 1, 2, 3, 1, 2, 3}), "0~4 1~5 2~6"); }

struct TwoRuns {
  Sequence first, second;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> truth;
};

// A program of `keys` kernels; each side loses some of its launches.
TwoRuns two_runs(std::mt19937& random, std::size_t size, std::uint32_t keys, double lost) {
  TwoRuns runs;
  std::bernoulli_distribution is_lost(lost);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t key = random() % keys;
    const bool in_first = !is_lost(random), in_second = !is_lost(random);
    if (in_first && in_second) runs.truth.emplace_back(runs.first.size(), runs.second.size());
    if (in_first) runs.first.push_back(key);
    if (in_second) runs.second.push_back(key);
  }
  return runs;
}

TEST(AlignSequences, MatchesAreEqualAndRiseWhateverTheInput) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const TwoRuns one = two_runs(random, random() % 40, 1 + random() % 6, 0.3);
    const std::vector<SequenceMatch> matches = align_sequences(one.first, one.second);
    for (std::size_t k = 0; k < matches.size(); ++k) {
      EXPECT_EQ(one.first[matches[k].first], one.second[matches[k].second]);
      if (k > 0) {
        EXPECT_LT(matches[k - 1].first, matches[k].first);
        EXPECT_LT(matches[k - 1].second, matches[k].second);
      }
    }
  }
}

TEST(AlignSequences, TheTruthIsFound) {
  std::mt19937 random(2);
  std::size_t certain = 0, right = 0, truth = 0;
  for (int i = 0; i < 200; ++i) {
    const TwoRuns one = two_runs(random, 2000, 300, 0.01);
    truth += one.truth.size();
    for (const SequenceMatch& match : align_sequences(one.first, one.second)) {
      if (!match.is_certain) continue;
      ++certain;
      right += std::ranges::binary_search(one.truth, std::pair(match.first, match.second));
    }
  }
  EXPECT_GT(static_cast<double>(right) / static_cast<double>(certain), 0.9999);
  EXPECT_GT(static_cast<double>(right) / static_cast<double>(truth), 0.995);
}

TEST(AlignSequences, HundredThousandLaunchesTakeLittleTime) {
  std::mt19937 random(3);
  const auto seconds_for = [](const TwoRuns& one) {
    const auto begin = std::chrono::steady_clock::now();
    align_sequences(one.first, one.second);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  // Limits are ten times what a slow machine takes.
  EXPECT_LT(seconds_for(two_runs(random, 100'000, 500, 0.001)), 5.0);
  EXPECT_LT(seconds_for(two_runs(random, 100'000, 2, 0.3)), 5.0) << "two kernels at random are the worst that there is";
  EXPECT_LT(seconds_for({Sequence(100'000, 1), Sequence(50'000, 1), {}}), 5.0);
  TwoRuns foreign{Sequence(100'000), Sequence(100'000), {}};
  for (std::uint32_t i = 0; i < 100'000; ++i) foreign.first[i] = i, foreign.second[i] = 99'999 - i;
  EXPECT_LT(seconds_for(foreign), 5.0) << "the other way round";
}

}  // namespace
}  // namespace frx::derive::compare
