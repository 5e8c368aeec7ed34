// The join of two recordings against the truth: made-up programs of known launches, of which each side misses some, has more, or has
// streams that take turns differently. FRX_JOIN_TABLE=1 prints the table of docs/validation/operators.md.
#include "derive/compare/launch_join.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace frx {
namespace {

using derive::compare::JoinedLaunch;
using derive::compare::LaunchJoin;
using derive::compare::LaunchMatch;
using derive::compare::MatchQuality;

// Each kernel as the one tool and as the other spells it.
struct Name {
  std::string recorded, measured;
};

std::vector<Name> names() {
  std::vector<Name> made;
  for (int i = 0; i < 24; ++i) {
    made.push_back({fmt::format("void at::native::<unnamed>::kernel<(int){}, const float *>(T1, int)", i),
                    fmt::format("void at::native::(anonymous namespace)::kernel<{}, float const*>(float, int)", i)});
  }
  return made;
}

struct Launch {
  std::size_t name = 0;
  std::uint32_t blocks = 0;
  std::int64_t stream = 7;
  std::size_t truth = 0;  // number in the program
};

// Iterations of equal layers; every layer launches the same kernels, as transformers do, the first and the last of an iteration others.
std::vector<Launch> program(std::size_t iterations, std::size_t layers, std::int64_t streams) {
  std::vector<Launch> launches;
  const auto add = [&](std::size_t name, std::uint32_t blocks, std::int64_t stream) {
    launches.push_back({name, blocks, stream, launches.size()});
  };
  for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
    add(0, 512, 7);
    for (std::size_t layer = 0; layer < layers; ++layer) {
      for (std::uint32_t i = 1; i < 18; ++i) add(i, 64 * (i % 5 + 1), 7 + (i % 4 == 0 ? streams - 1 : 0));
    }
    for (std::size_t i = 18; i < 24; ++i) add(i, 7, 7);
  }
  return launches;
}

std::vector<JoinedLaunch> as_recorded(const std::vector<Launch>& launches, const std::vector<Name>& names, bool is_measured) {
  std::vector<JoinedLaunch> made;
  for (const Launch& launch : launches) {
    JoinedLaunch one;
    one.name = is_measured ? names[launch.name].measured : names[launch.name].recorded;
    one.grid = {launch.blocks, 1, 1};
    one.block = {256, 1, 1};
    one.device = 0;
    one.stream = is_measured ? launch.stream + 13 : launch.stream;
    made.push_back(one);
  }
  return made;
}

struct Score {
  std::size_t launches = 0, possible = 0, exact = 0, exact_right = 0, doubtful = 0, doubtful_right = 0;
  double seconds = 0;

  double share(std::size_t part, std::size_t whole) const {
    return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 100;
  }
  std::string row(std::string_view what) const {
    const auto percent = [&](std::size_t part, std::size_t whole) {
      return whole > 0 ? fmt::format("{:.2f} %", share(part, whole)) : std::string("-");
    };
    return fmt::format("| {} | {} | {} | {} | {} | {} | {:.2f} s |", what, launches, percent(exact + doubtful, possible),
                       percent(exact, exact + doubtful), percent(exact_right, exact), percent(doubtful_right, doubtful), seconds);
  }
};

Score score_of(const std::vector<Launch>& recorded, const std::vector<Launch>& measured) {
  const std::vector<Name> all = names();
  const std::vector<JoinedLaunch> first = as_recorded(recorded, all, false), second = as_recorded(measured, all, true);
  const auto begin = std::chrono::steady_clock::now();
  const LaunchJoin join = derive::compare::join_launches(first, second);
  Score score;
  score.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  score.launches = recorded.size();
  std::vector<std::size_t> there;
  for (const Launch& launch : measured) there.push_back(launch.truth);
  std::ranges::sort(there);
  for (const Launch& launch : recorded) score.possible += std::ranges::binary_search(there, launch.truth);
  for (const LaunchMatch& match : join.matches) {
    const bool is_right = recorded[match.first].truth == measured[match.second].truth;
    const bool is_exact = match.quality == MatchQuality::exact;
    ++(is_exact ? score.exact : score.doubtful);
    (is_exact ? score.exact_right : score.doubtful_right) += is_right;
  }
  return score;
}

std::vector<Launch> losing(std::vector<Launch> launches, double share, std::mt19937& random) {
  std::bernoulli_distribution is_lost(share);
  std::erase_if(launches, [&](const Launch&) { return is_lost(random); });
  return launches;
}

// Streams go on at random, each in its own order.
std::vector<Launch> taking_turns(const std::vector<Launch>& launches, std::mt19937& random) {
  std::vector<std::vector<Launch>> of_stream(2);
  for (const Launch& launch : launches) of_stream[launch.stream == 7 ? 0 : 1].push_back(launch);
  std::vector<Launch> mixed;
  std::size_t next[2] = {0, 0};
  while (mixed.size() < launches.size()) {
    const std::size_t stream = next[0] == of_stream[0].size() ? 1 : next[1] == of_stream[1].size() ? 0 : random() % 2;
    mixed.push_back(of_stream[stream][next[stream]++]);
  }
  return mixed;
}

void show(std::string_view what, const Score& score) {
  if (std::getenv("FRX_JOIN_TABLE")) fmt::print("{}\n", score.row(what));
}

TEST(LaunchJoinTruth, LaunchesThatOneRunHasNot) {
  std::mt19937 random(11);
  const std::vector<Launch> whole = program(20, 12, 1);
  const Score same = score_of(whole, whole);
  show("the same", same);
  EXPECT_EQ(same.exact_right, whole.size());
  for (const double lost : {0.001, 0.01, 0.05}) {
    const Score score = score_of(losing(whole, lost, random), losing(whole, lost, random));
    show(fmt::format("{:g} % lost on each side", 100 * lost), score);
    EXPECT_GT(score.share(score.exact + score.doubtful, score.possible), 98);
    EXPECT_GT(score.share(score.exact_right, score.exact), 99.9);
  }
}

TEST(LaunchJoinTruth, AWholeIterationOrLayerIsInDoubt) {
  std::vector<Launch> whole = program(4, 12, 1), measured = whole;
  const auto in_first_iteration = [&](const Launch& launch) { return launch.truth < whole.size() / 4; };
  std::erase_if(measured, in_first_iteration);
  const Score iteration = score_of(whole, measured);
  show("the first of four iterations not measured", iteration);
  EXPECT_EQ(iteration.exact, 0u) << "any of the four could be the one that is missing";
  EXPECT_EQ(iteration.doubtful_right, measured.size()) << "but it usually is the first, which warms up";

  measured = whole;
  std::erase_if(measured, [](const Launch& launch) { return launch.truth > 100 && launch.truth <= 117; });
  const Score layer = score_of(whole, measured);
  show("one of 48 layers not measured", layer);
  EXPECT_EQ(layer.exact, layer.exact_right) << "what is certain is right";
  EXPECT_GT(layer.exact, 600u) << "other iterations are not in doubt";
}

TEST(LaunchJoinTruth, WarmUpThatOnlyOneRunHas) {
  const std::vector<Launch> whole = program(20, 12, 1);
  std::vector<Launch> recorded = whole;
  std::erase_if(recorded, [&](const Launch& launch) { return launch.truth < whole.size() / 10; });
  const Score score = score_of(recorded, whole);
  show("two of 20 iterations measured more", score);
  EXPECT_EQ(score.doubtful_right + score.exact_right, recorded.size());
}

TEST(LaunchJoinTruth, StreamsThatTakeTurnsDifferently) {
  std::mt19937 random(12);
  const std::vector<Launch> whole = program(20, 12, 2);
  const Score score = score_of(taking_turns(whole, random), taking_turns(whole, random));
  show("two streams, turns at random", score);
  EXPECT_EQ(score.exact_right, whole.size());
}

TEST(LaunchJoinTruth, HundredThousandLaunches) {
  std::mt19937 random(13);
  const std::vector<Launch> whole = program(475, 12, 2);
  ASSERT_GT(whole.size(), 99'000u);
  const Score score = score_of(losing(whole, 0.001, random), losing(whole, 0.001, random));
  show("0.1 % lost on each side, two streams", score);
  EXPECT_GT(score.share(score.exact_right, score.exact), 99.9);
  EXPECT_LT(score.seconds, 5) << "ten times what a slow machine takes";
}

}  // namespace
}  // namespace frx
