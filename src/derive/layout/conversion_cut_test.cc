#include "derive/layout/conversion_cut.h"

#include <gmock/gmock.h>

#include <random>

namespace frx::derive::layout {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TensorLayout cut_contiguous = TensorLayout::contiguous, cut_channels_last = TensorLayout::channels_last;

// Tries every choice; `forbidden` where none is possible.
ConversionCost least_cost(const ConversionProblem& problem) {
  ConversionCost least = forbidden;
  for (std::uint32_t choice = 0; choice < 1U << problem.operators.size(); ++choice) {
    std::vector<TensorLayout> layouts(problem.operators.size());
    for (std::size_t i = 0; i < layouts.size(); ++i) layouts[i] = (choice >> i & 1U) != 0 ? cut_channels_last : cut_contiguous;
    // Counted here anew, and not by plan_with.
    ConversionCost cost = 0;
    bool is_possible = true;
    const auto pay = [&](ConversionCost one) {
      is_possible = is_possible && one != forbidden;
      cost += one == forbidden ? 0 : one;
    };
    for (std::size_t i = 0; i < layouts.size(); ++i)
      pay(layouts[i] == cut_channels_last ? problem.operators[i].channels_last : problem.operators[i].contiguous);
    for (const ConvertedTensor& tensor : problem.tensors) {
      bool other = false;
      for (const std::uint32_t consumer : tensor.consumers) other = other || layouts[consumer] != layouts[tensor.producer];
      if (other) pay(layouts[tensor.producer] == cut_contiguous ? tensor.to_channels_last : tensor.to_contiguous);
    }
    if (is_possible) least = std::min(least, cost);
  }
  return least;
}

ConversionProblem random_problem(std::mt19937& random) {
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  const auto cost = [&](std::uint32_t in_ten) { return below(10) < in_ten ? forbidden : ConversionCost{below(20)}; };
  ConversionProblem problem;
  problem.operators.resize(1 + below(12));
  for (ConvertingOperator& one : problem.operators) one = {cost(2), cost(2)};
  const std::uint32_t count = static_cast<std::uint32_t>(problem.operators.size());
  problem.tensors.resize(below(2 * count));
  for (ConvertedTensor& tensor : problem.tensors) {
    tensor = {below(count), {}, below(20) == 0 ? forbidden : below(20), below(20) == 0 ? forbidden : below(20)};
    for (std::uint32_t consumers = below(5); consumers > 0; --consumers) tensor.consumers.push_back(below(count));
  }
  return problem;
}

TEST(ConversionCut, EqualsTheBestOfAllChoices) {
  std::mt19937 random(20261125);
  std::size_t impossible = 0, converted = 0;
  for (int i = 0; i < 10000; ++i) {
    const ConversionProblem problem = random_problem(random);
    const ConversionCost expected = least_cost(problem);
    const std::optional<ConversionPlan> plan = cheapest_plan(problem);
    ASSERT_EQ(plan ? plan->cost : forbidden, expected) << "graph " << i;
    impossible += plan ? 0 : 1;
    converted += plan && !plan->conversions.empty() ? 1 : 0;
  }
  // The graphs show all there is to see.
  EXPECT_GT(impossible, 500u);
  EXPECT_LT(impossible, 9000u);
  EXPECT_GT(converted, 1000u);
}

// A convolution that takes channels-last (10 for converting inside otherwise), three that read its result, and a product that does not.
TEST(ConversionCut, ATensorIsConvertedOnceForAllThatNeedIt) {
  ConversionProblem problem;
  problem.operators = {{0, forbidden}, {forbidden, 0}, {forbidden, 0}, {forbidden, 0}, {0, forbidden}};
  problem.tensors = {{0, {1, 2, 3, 4}, 7, 5}};
  const std::optional<ConversionPlan> plan = cheapest_plan(problem);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cost, 5u);
  ASSERT_EQ(plan->conversions.size(), 1u);
  EXPECT_EQ(plan->conversions[0].to, cut_channels_last);
}

// input -> convolution -> norm -> convolution -> flatten, where each convolution converts inside for 100 when it is contiguous: converting
// the input and what is flattened, for 30 and 4, is best; half of it is worse.
TEST(ConversionCut, ConvertsAtTheEndsOfARegion) {
  ConversionProblem problem;
  problem.operators = {{0, forbidden}, {100, 0}, {0, 0}, {100, 0}, {0, forbidden}};
  problem.tensors = {{0, {1}, 30, 30}, {1, {2}, 60, 60}, {2, {3}, 60, 60}, {3, {4}, 4, 4}};
  const std::optional<ConversionPlan> plan = cheapest_plan(problem);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cost, 34u);
  EXPECT_THAT(plan->layouts, ElementsAre(cut_contiguous, cut_channels_last, cut_channels_last, cut_channels_last, cut_contiguous));
  EXPECT_EQ(plan_with(problem, std::vector(5, cut_contiguous)).cost, 200u);
  EXPECT_EQ(plan_with(problem, std::vector(5, cut_channels_last)).cost, forbidden);
}

TEST(ConversionCut, OfEqualPlansKeepsTheContiguousOne) {
  ConversionProblem problem;
  problem.operators = {{0, 0}, {3, 3}};
  problem.tensors = {{0, {1}, 5, 5}};
  const std::optional<ConversionPlan> plan = cheapest_plan(problem);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cost, 3u);
  EXPECT_THAT(plan->layouts, ElementsAre(cut_contiguous, cut_contiguous));
  EXPECT_THAT(plan->conversions, IsEmpty());
  EXPECT_EQ(cheapest_plan({})->cost, 0u);
  EXPECT_FALSE(cheapest_plan({{{forbidden, forbidden}}, {}}));
}

// Hundreds of thousands of operators in a row, of which every other one would rather be channels-last.
TEST(ConversionCut, TakesLongGraphs) {
  ConversionProblem problem;
  for (std::uint32_t i = 0; i < 200000; ++i) {
    problem.operators.push_back({i % 2 == 0 ? 3U : 0U, i % 2 == 0 ? 0U : 1U});
    if (i > 0) problem.tensors.push_back({i - 1, {i}, 5, 5});
  }
  const std::optional<ConversionPlan> plan = cheapest_plan(problem);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cost, 100000u);  // all channels-last
}

}  // namespace
}  // namespace frx::derive::layout
