#include "derive/trace/shapes.h"

#include <gtest/gtest.h>

#include "derive/steps/shapes.h"
#include "derive/trace/breakdown.h"
#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;
using steps::ShapeVolatility;

// Each step takes 1000 us. `shapes`: of the batch in each of them.
class Recording {
 public:
  explicit Recording(std::vector<std::string> batches) : batches_(std::move(batches)) {
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      add(i, 0, 1000, "user_annotation", fmt::format("ProfilerStep#{}", i + 1), "");
      // Two layers with inputs of their own, one of them within another operator.
      add(i, 100, 50, "cpu_op", "aten::linear", fmt::format("[{}, [64, 64], [64]]", batches_[i]));
      add(i, 110, 20, "cpu_op", "aten::addmm", fmt::format("[[64], {}, [64, 64]]", batches_[i]));
      add(i, 200, 50, "cpu_op", "aten::linear", fmt::format("[{}, [10, 64], [10]]", batches_[i]));
      // The optimizer goes through many more tensors, and always the same.
      for (int k = 0; k < 9; ++k) add(i, 400 + 10 * k, 5, "cpu_op", "aten::mul_", fmt::format("[[{}, 64], []]", k + 1));
    }
  }
  Recording& add(std::size_t step, double at, double duration, std::string_view kind, const std::string& name, const std::string& dims) {
    const double begin = 1000.0 * static_cast<double>(step) + at;
    events_ += event(kind, name, "1/1", begin, duration, dims.empty() ? "" : "\"Input Dims\": " + dims);
    return *this;
  }
  // The same in each step.
  Recording& everywhere(double at, double duration, std::string_view kind, const std::string& name, const std::string& dims) {
    for (std::size_t i = 0; i < batches_.size(); ++i) add(i, at, duration, kind, name, dims);
    return *this;
  }
  ModelShapes shapes() const {
    const model::Timeline timeline = trace_of(trace_with(events_));
    model::StepTable steps = break_down(timeline, attribute(timeline), find_steps(timeline)).at(0);
    return {std::move(steps.shapes), std::move(steps.last_shape_change)};
  }
  std::optional<ShapeVolatility> volatility() const { return steps::volatility_of_calls(shapes().steps); }
  double ratio() const { return volatility().value_or(ShapeVolatility{-1, 0, 0, false}).ratio; }

 private:
  std::vector<std::string> batches_;
  std::string events_;
};

const std::string a = "[8, 64]", b = "[5, 64]", c = "[13, 64]";

TEST(Shapes, LayersOfManyShapesAreStableWhenEachStepHasTheSame) { EXPECT_EQ(Recording({a, a, a, a, a}).ratio(), 0); }

TEST(Shapes, ABatchThatChangesInEachStepIsVolatile) {
  const auto volatility = Recording({a, b, c, a, b}).volatility();
  ASSERT_TRUE(volatility);
  EXPECT_EQ(volatility->ratio, 1);
  EXPECT_EQ(volatility->changes, 4u);
  EXPECT_EQ(volatility->pairs, 4u);
}

TEST(Shapes, TwoBucketsAreVolatileAsOftenAsTheyChange) { EXPECT_DOUBLE_EQ(Recording({a, a, b, b, a, b}).ratio(), 0.6); }

// By docs/contract.md one of two changes of three steps would be volatile.
TEST(Shapes, ASmallerLastBatchIsNot) {
  const auto volatility = Recording({a, a, b}).volatility();
  ASSERT_TRUE(volatility);
  EXPECT_EQ(volatility->ratio, 0);
  EXPECT_TRUE(volatility->is_single);
  EXPECT_EQ(volatility->changes, 1u);
}

TEST(Shapes, AnOddBatchInTheMiddleIsNot) {
  EXPECT_EQ(Recording({a, a, b, a, a}).ratio(), 0);
  EXPECT_EQ(Recording({a, a, b, c, a}).ratio(), 0.75) << "two of them are";
  EXPECT_EQ(Recording({a, b, c}).ratio(), 1) << "nor does the batch return here";
}

TEST(Shapes, TwoStepsThatDifferDoNotTellWhetherTheOthersDo) {
  EXPECT_FALSE(Recording({a, b}).volatility());
  EXPECT_FALSE(Recording({a}).volatility());
  EXPECT_EQ(Recording({a, a}).ratio(), 0);
}

TEST(Shapes, TellsWhatTheFirstCallTook) {
  const ModelShapes shapes = Recording({a, b, c}).shapes();
  ASSERT_TRUE(shapes.last_change);
  EXPECT_EQ(shapes.last_change->from_step, 2);
  EXPECT_EQ(shapes.last_change->to_step, 3);
  EXPECT_EQ(shapes.last_change->operation, "aten::linear");
  EXPECT_EQ(shapes.last_change->before, "[[5, 64], [64, 64], [64]]");
  EXPECT_EQ(shapes.last_change->after, "[[13, 64], [64, 64], [64]]");
}

// Images of all sizes, made equal by the loader.
TEST(Shapes, WhatTheDataLoaderDoesIsNotTheModel) {
  Recording recording({a, a, a, a});
  recording.everywhere(10, 80, "user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "");
  for (std::size_t i = 0; i < 4; ++i) {
    for (int k = 0; k < 8; ++k) recording.add(i, 12 + k, 1, "cpu_op", "aten::conv2d", fmt::format("[[3, {}, 90]]", 100 + i));
  }
  EXPECT_EQ(recording.ratio(), 0);
}

// A mixture of experts: the input of each expert depends on the data, in batches of one shape.
TEST(Shapes, WhatTheModelMakesOfItsInputsIsNotItsInput) {
  Recording recording({a, a, a, a});
  for (std::size_t i = 0; i < 4; ++i) {
    for (int k = 0; k < 8; ++k) recording.add(i, 300 + 5 * k, 3, "cpu_op", "aten::matmul", fmt::format("[[{}, 64], [64, 64]]", 10 * i + k));
  }
  EXPECT_EQ(recording.ratio(), 0);
}

// Sparse features of a recommender: they come first and always differ, but most of the model does not depend on them.
TEST(Shapes, AFewInputsThatChangeDoNotMakeTheModelDynamic) {
  Recording recording({a, a, a, a});
  for (std::size_t i = 0; i < 4; ++i) recording.add(i, 50, 20, "cpu_op", "fbgemm::embedding", fmt::format("[[{}]]", 1000 + i));
  EXPECT_EQ(recording.ratio(), 0);
}

TEST(Shapes, LoopsOverTheLengthOfTheInputCannotBeCompared) {
  Recording recording({a, b, a, b});
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 10 + i; ++k)
      recording.add(i, 600 + 5.0 * static_cast<double>(k), 3, "cpu_op", "aten::bmm", "[[8, 64], [64, 64]]");
  }
  EXPECT_FALSE(recording.volatility());
}

TEST(Shapes, WithoutRecordedShapesNothingIsKnown) {
  const std::string one = event("cpu_op", "aten::linear", "1/1", 100, 5, R"("Input Dims": [[], []])");
  const model::Timeline timeline = trace_of(trace_with(event("user_annotation", "ProfilerStep#1", "1/1", 0, 900) + one +
                                                       event("user_annotation", "ProfilerStep#2", "1/1", 1000, 900)));
  EXPECT_TRUE(timeline.shaped_events.empty());
  EXPECT_TRUE(break_down(timeline, attribute(timeline), find_steps(timeline)).at(0).shapes.empty());
}

TEST(Shapes, OperatorsOfAModelAreKnownByName) {
  for (const char* name : {"aten::conv2d", "aten::cudnn_convolution", "aten::linear", "_LayerNormLinear", "aten::mm", "aten::embedding",
                           "aten::scaled_dot_product_attention", "CompiledFunction", "aten::_cudnn_rnn"})
    EXPECT_TRUE(works_for_model(name)) << name;
  for (const char* name : {"aten::mul_", "aten::_foreach_add_", "aten::linalg_vector_norm", "aten::upsample_bilinear2d", "aten::copy_"})
    EXPECT_FALSE(works_for_model(name)) << name;
}

}  // namespace
}  // namespace frx::derive::trace
