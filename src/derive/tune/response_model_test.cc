#include "derive/tune/response_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace frx::derive::tune {
namespace {

Settings workers(int count) { return {{"FRX_NUM_WORKERS", std::to_string(count)}}; }

// --- Cholesky ---

TEST(Cholesky, FactorsAndSolves) {
  // 4 2    2  0    2 1
  // 2 3 =  1 v2 *  0 v2, of determinant 8
  const std::optional<Cholesky> factor = Cholesky::of({4, 0, 2, 3}, 2);
  ASSERT_TRUE(factor.has_value());
  EXPECT_NEAR(factor->log_determinant(), std::log(8), 1e-12);
  const std::vector<double> b = {2, 1};
  EXPECT_NEAR(factor->solve(b)[0], 0.5, 1e-12);  // 4 * 0.5 = 2, 2 * 0.5 = 1
  EXPECT_NEAR(factor->solve(b)[1], 0, 1e-12);
  EXPECT_NEAR(factor->forward(b)[0], 1, 1e-12);
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) { EXPECT_FALSE(Cholesky::of({1, 0, 2, 1}, 2).has_value()); }

// --- How alike configurations are ---

TEST(SettingsKernel, NumbersAreOrderedAndZeroIsOneStepFromOne) {
  const std::vector<Settings> points = {{}, workers(0), workers(1), workers(2), workers(8)};
  const SettingsKernel kernel(points);
  EXPECT_NEAR(kernel.of(1, 2, 1).single, std::exp(-0.125), 1e-12);  // one step of a length of 2
  EXPECT_NEAR(kernel.of(2, 3, 1).single, std::exp(-0.125), 1e-12);
  EXPECT_NEAR(kernel.of(3, 4, 1).single, std::exp(-0.5), 1e-12);
  EXPECT_EQ(kernel.of(0, 1, 1).single, 0);  // not set
  EXPECT_EQ(kernel.of(0, 0, 1).single, 1);
}

TEST(SettingsKernel, CategoriesHaveMuchInCommonAndPairsNeedBoth) {
  const Settings half = {{"A", "bfloat16"}}, other = {{"A", "float16"}}, both = {{"A", "bfloat16"}, {"B", "x"}};
  const std::vector<Settings> points = {half, other, both};
  const SettingsKernel kernel(points);
  EXPECT_NEAR(kernel.of(0, 1, 0).single, (0.75 + 1) / 2, 1e-12);
  EXPECT_NEAR(kernel.of(0, 2, 0).single, 0.5, 1e-12);  // alike in A, not in B
  EXPECT_NEAR(kernel.of(0, 2, 0).paired, 0, 1e-12);
  EXPECT_NEAR(kernel.of(2, 2, 0).paired, 1, 1e-12);
}

// --- The model ---

constexpr double quiet = 1e-4;  // variance of runs: 1 %

TEST(ResponseModel, KnowsWhatItMeasuredAndLittleOfTheRest) {
  const std::vector<Settings> points = {{}, workers(4), {{"FRX_AMP_DTYPE", "bfloat16"}}};
  const ResponseModel model(points, {{0, 0, quiet, 0, false}, {1, std::log(1.5), quiet, 1, false}});
  EXPECT_NEAR(model.gain(1, 0).mean, std::log(1.5), 0.03);
  EXPECT_LT(model.gain(1, 0).variance, 0.001);
  EXPECT_GT(model.gain(2, 0).variance, 10 * model.gain(1, 0).variance);
  EXPECT_GT(model.probability(1, 0, std::log(1.3)), 0.99);
  EXPECT_GT(model.expected_improvement(2, 0), 0.01);
}

TEST(ResponseModel, NeighboursOfAGoodValueAreExpectedToBeGood) {
  const std::vector<Settings> points = {{}, workers(4), workers(6), workers(0)};
  const ResponseModel model(points, {{0, 0, quiet, 0, false}, {1, 0.5, quiet, 1, false}});
  EXPECT_GT(model.gain(2, 0).mean, 0.3);
  EXPECT_LT(model.gain(3, 0).mean, model.gain(2, 0).mean);
}

TEST(ResponseModel, PartsThatPayAreExpectedToPayTogether) {
  const Settings batch = {{"FRX_BATCH_SIZE", "64"}}, half = {{"FRX_AMP_DTYPE", "bfloat16"}};
  const Settings both = {{"FRX_AMP_DTYPE", "bfloat16"}, {"FRX_BATCH_SIZE", "64"}};
  const std::vector<Settings> points = {{}, batch, half, both};
  const ResponseModel model(points, {{0, 0, quiet, 0, false}, {1, 0.2, quiet, 1, false}, {2, 0.3, quiet, 2, false}});
  EXPECT_GT(model.gain(3, 0).mean, 0.3);        // more than the better of them alone
  EXPECT_GT(model.gain(3, 0).variance, 0.001);  // but they may not
}

TEST(ResponseModel, SeesADriftInWhatIsRunAgain) {
  // The same two configurations by turns, and the machine loses 2 % with each run.
  const std::vector<Settings> points = {{}, workers(4)};
  std::vector<MeasuredRun> runs;
  for (std::size_t i = 0; i < 6; ++i)
    runs.push_back({i % 2, (i % 2 == 1 ? 0.1 : 0.0) - 0.02 * static_cast<double>(i), quiet, static_cast<double>(i), false});
  const ResponseModel model(points, runs);
  EXPECT_NEAR(model.drift().front(), 0, 1e-9);
  EXPECT_NEAR(model.drift().back(), -0.1, 0.02);
  EXPECT_NEAR(model.gain(1, 0).mean, 0.1, 0.01);
  const std::vector<double> last_less_first = {-1, 0, 0, 0, 0, 1};
  EXPECT_NEAR(model.weighted_drift(last_less_first).mean, model.drift().back(), 1e-9);
}

}  // namespace
}  // namespace frx::derive::tune
