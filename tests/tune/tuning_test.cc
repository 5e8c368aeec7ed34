// The search of frx tune on simulated programs whose best configuration is known (tests/tune/workload.h).
#include <gtest/gtest.h>

#include <algorithm>

#include "tune/candidate_pool.h"
#include "tune/tuning_score.h"

namespace frx::testing::tune {
namespace {

TEST(TuningSearch, FindsTheBestWithoutMoreRunsThanTheDocumentedFlow) {
  const TuningScore score = score_tunings(100, 160);
  const TuningCounts adaptive = TuningScore::all(score.adaptive), documented = TuningScore::all(score.documented);
  EXPECT_GE(adaptive.found, adaptive.tunings * 90 / 100);  // 95 % in docs/validation/tune.md, less what chance does to 160
  EXPECT_LE(adaptive.slower, adaptive.tunings / 100);
  EXPECT_GE(adaptive.frugal, adaptive.tunings * 90 / 100);
  EXPECT_GT(adaptive.found, documented.found);
  EXPECT_LE(adaptive.launches, documented.launches);
}

// --- The simulator ---

TEST(SimulatedWorkload, IsTheSameForTheSameSeed) {
  const Workload one(7, {}), other(7, {}), third(15, {});
  EXPECT_EQ(one.run(std::nullopt, 3, 20).times, other.run(std::nullopt, 3, 20).times);
  EXPECT_NE(one.run(std::nullopt, 3, 20).times, third.run(std::nullopt, 3, 20).times);
  EXPECT_NE(one.run(std::nullopt, 3, 20).times, one.run(std::nullopt, 4, 20).times);
}

TEST(SimulatedWorkload, HasTheDocumentedCandidatesAndTheirCombinations) {
  EXPECT_EQ(data_loaders(false).size(), 13u);
  EXPECT_EQ(data_loaders(true).size(), 8u);
  // 4 * 3 * 4 choices with "none of this family", less none at all.
  const std::vector<PoolEntry> pool = pool_of({batch_sizes(32), precisions(), runtimes()});
  EXPECT_EQ(pool.size(), 47u);
  EXPECT_EQ(std::ranges::count_if(pool, [](const PoolEntry& entry) { return entry.is_documented; }), 8);
}

TEST(SimulatedWorkload, FlatOnesHaveNothingToFind) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Workload workload(seed, {}, WorkloadKind::flat);
    EXPECT_LT(workload.best_speed(), 1.08) << seed;
  }
}

TEST(SimulatedWorkload, MostOthersHave) {
  std::size_t worthwhile = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Workload workload(seed, {});
    worthwhile += workload.kind != WorkloadKind::flat && workload.best_speed() > 1.08 ? 1 : 0;
  }
  EXPECT_GE(worthwhile, 140u);
}

}  // namespace
}  // namespace frx::testing::tune
