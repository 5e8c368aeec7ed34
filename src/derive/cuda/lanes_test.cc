#include "derive/cuda/lanes.h"

#include <gtest/gtest.h>

namespace frx::derive::cuda {
namespace {

TEST(Expressions, AreFoldedAndSharedWhenEqual) {
  Expressions e;
  const ExprId x = e.leaf(Op::thread_x);
  EXPECT_EQ(e.constant_of(e.binary(Op::mul, e.constant(6), e.constant(7))), 42);
  EXPECT_EQ(e.binary(Op::add, x, e.constant(0)), x);
  EXPECT_EQ(e.binary(Op::mul, x, e.constant(3)), e.binary(Op::mul, x, e.constant(3)));
  EXPECT_EQ(e.constant_of(e.binary(Op::sub, x, x)), 0);
}

TEST(Expressions, DoNotDivideByZeroOrOverflow) {
  Expressions e;
  EXPECT_EQ(e.binary(Op::div, e.constant(1), e.constant(0)), e.opaque());
  EXPECT_EQ(e.binary(Op::mod, e.constant(INT64_MIN), e.constant(-1)), e.opaque());
  EXPECT_EQ(e.binary(Op::shl, e.constant(1), e.constant(64)), e.opaque());
  EXPECT_EQ(e.constant_of(e.binary(Op::add, e.constant(INT64_MAX), e.constant(1))), INT64_MIN);
}

TEST(Expressions, RememberWhoseMemoryAnUnknownValueIsFrom) {
  Expressions e;
  const ExprId own = e.private_value(3), data = e.data_value(), x = e.leaf(Op::thread_x);
  EXPECT_EQ(e.private_memory(e.binary(Op::add, e.constant(1), own)), 3u);
  EXPECT_EQ(e.private_memory(e.binary(Op::add, own, e.opaque())), 3u);
  EXPECT_FALSE(e.private_memory(e.opaque()));
  EXPECT_TRUE(e.is_data_value(e.binary(Op::sub, own, data)));
  EXPECT_EQ(e.binary(Op::min, data, e.constant(8)), e.opaque());  // it may be below any constant
  EXPECT_EQ(e.binary(Op::mul, own, e.varying()), e.varying());
  EXPECT_TRUE(e.is_unknown(own) && e.is_unknown(e.varying()) && !e.is_unknown(x));
}

TEST(Expressions, StopGrowingAtTheirLimit) {
  Expressions e;
  for (std::int64_t i = 0; i < 100000; ++i) e.constant(i);
  EXPECT_TRUE(e.is_full());
  EXPECT_EQ(e.size(), Expressions::most);
}

TEST(Lanes, SpreadOverTheBlockWarpByWarp) {
  Expressions e;
  const ExprId x = e.leaf(Op::thread_x), y = e.leaf(Op::thread_y);
  const Lanes lanes(e, {Sample::large_odd, {16, 16, 1}});
  EXPECT_EQ(lanes.count(), 128u);
  ASSERT_TRUE(lanes.is_known(x) && lanes.is_known(y));
  EXPECT_EQ(lanes.at(x, 17), 1);
  EXPECT_EQ(lanes.at(y, 17), 1);
  EXPECT_EQ(lanes.thread_of(127), 255u);
  EXPECT_EQ(lanes.at(y, 127), 15);
}

TEST(Lanes, GiveSizesTheSameValueInAllThreads) {
  Expressions e;
  const ExprId n = e.fresh(Op::uniform), x = e.leaf(Op::thread_x), inside = e.binary(Op::lt, x, n);
  EXPECT_TRUE(Lanes(e, {Sample::large_odd, {256}}).is_same_for_all(inside));
  EXPECT_FALSE(Lanes(e, {Sample::tiny, {256}}).is_same_for_all(inside));
}

TEST(Lanes, ALoadFromOneAddressIsTheSameForAllAndFromManyItVaries) {
  Expressions e;
  const ExprId one = e.load(e.leaf(Op::block_x), 0), many = e.load(e.leaf(Op::thread_x), 0);
  const Lanes lanes(e, {Sample::large_odd, {64}});
  EXPECT_TRUE(lanes.is_known(one) && lanes.is_same_for_all(one));
  EXPECT_TRUE(lanes.is_varying(many));
}

TEST(Lanes, AFalseSideDecidesAnAndWhateverTheOtherIs) {
  Expressions e;
  const ExprId never = e.binary(Op::lt, e.leaf(Op::thread_x), e.constant(0));
  const ExprId both = e.binary(Op::logical_and, never, e.opaque());
  EXPECT_TRUE(Lanes(e, {Sample::large_odd, {64}}).is_known(both));
}

}  // namespace
}  // namespace frx::derive::cuda
