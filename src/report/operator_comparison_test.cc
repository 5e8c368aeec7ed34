#include "report/operator_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace frx::report {
namespace {

using ::testing::ElementsAre;

TraceReport trace(std::vector<OperatorTime> times) {
  TraceReport report;
  report.operator_times = std::move(times);
  return report;
}

TEST(OperatorComparison, RowsAreOfEqualNameAndShapesAndAddUp) {
  const TraceReport a = trace({{"aten::mm", "[[8, 8]]", 300, 3}, {"aten::mm", "[[4, 4]]", 100, 1}, {"(no operator)", "", 50, 1}});
  const TraceReport b = trace({{"aten::mm", "[[8, 8]]", 200, 3}, {"aten::mm", "[[2, 2]]", 40, 1}, {"(no operator)", "", 50, 1}});
  const OperatorComparison found = compare_operators(&a, &b);
  EXPECT_TRUE(found.by_shapes);
  ASSERT_EQ(found.rows.size(), 4u);
  EXPECT_EQ(found.rows[0].shapes, "[[4, 4]]");  // equal changes are in the order of their shapes
  EXPECT_FALSE(found.rows[0].second_ns.has_value());
  EXPECT_EQ(found.rows[1].change_ns(), -100);
  double first = 0, second = 0;
  for (const ComparedOperator& row : found.rows) {
    first += row.first_ns.value_or(0);
    second += row.second_ns.value_or(0);
  }
  EXPECT_EQ(first, found.first_ns);
  EXPECT_EQ(second, found.second_ns);
  EXPECT_EQ(found.first_ns, 450);
  EXPECT_EQ(found.second_ns, 290);
}

// Otherwise all operators of the side with shapes would be gone, and new on the other.
TEST(OperatorComparison, ShapesOfOneSideOnlyAreNotCompared) {
  const TraceReport a = trace({{"aten::mm", "[[8, 8]]", 300, 3}, {"aten::mm", "[[4, 4]]", 100, 1}});
  const TraceReport b = trace({{"aten::mm", "", 200, 4}});
  const OperatorComparison found = compare_operators(&a, &b);
  EXPECT_FALSE(found.by_shapes);
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows[0].first_ns, 400);
  EXPECT_EQ(found.rows[0].first_count, 4);
}

TEST(OperatorComparison, AFusedOperatorNamesWhatShrankForIt) {
  const TraceReport eager = trace({{"aten::add", "", 50, 1}, {"aten::relu", "", 45, 1}, {"aten::mul", "", 10, 1}});
  const TraceReport compiled =
      trace({{"triton_poi_fused_add_relu_0", "", 20, 1}, {"triton_poi_fused_add_relu_1", "", 20, 1}, {"aten::mul", "", 10, 1}});
  const auto fused_in = [](const OperatorComparison& comparison) {
    return std::ranges::find(comparison.rows, "triton_poi_fused_add_relu", &ComparedOperator::name)->fused_of;
  };
  EXPECT_THAT(fused_in(compare_operators(&eager, &compiled)), ElementsAre("aten::add", "aten::relu"));
  EXPECT_THAT(fused_in(compare_operators(&compiled, &eager)), ElementsAre("aten::add", "aten::relu"));
}

TEST(OperatorComparison, WithoutOperatorsOnASideThereIsNoTable) {
  const TraceReport a = trace({{"aten::mm", "", 300, 3}}), b = trace({{"(no operator)", "", 200, 4}});
  EXPECT_TRUE(compare_operators(&a, &b).rows.empty());
  EXPECT_TRUE(compare_operators(&a, nullptr).rows.empty());
}

}  // namespace
}  // namespace frx::report
