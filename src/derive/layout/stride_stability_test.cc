#include "derive/layout/stride_stability.h"

#include <gmock/gmock.h>

#include "derive/layout/stability_testing.h"

namespace frx::derive::layout {
namespace {

using Input = RecordedFloats;
using Steps = RecordedSteps;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// An activation of 2 x 64 x 8 x 8, contiguous or channels-last.
const Input contiguous{"[2, 64, 8, 8]", "[4096, 64, 8, 1]"};
const Input channels_last{"[2, 64, 8, 8]", "[4096, 1, 512, 64]"};
const Input weight{"[32, 64, 3, 3]", "[576, 9, 3, 1]"};

TEST(StrideStability, OneStepWithOtherStrides) {
  Steps steps;
  for (int i = 1; i <= 4; ++i) {
    steps.step().op("aten::mm", {{"[4, 8]", "[8, 1]"}, {"[8, 4]", "[4, 1]"}});
    steps.op("aten::conv2d", {i == 3 ? channels_last : contiguous, weight}, i == 3 ? 9 : 4);
  }
  const auto trace = steps.trace();
  const StrideStability found = eager_stride_instability(*trace);
  ASSERT_THAT(found.candidates, SizeIs(1));
  const Candidate& one = found.candidates[0];
  EXPECT_EQ(one.detector, "stride_instability");
  EXPECT_EQ(one.pattern, "eager_strides");
  EXPECT_EQ(trace->name(one.node), "aten::conv2d");
  EXPECT_EQ(trace->nodes()[one.node].step, 2u);
  EXPECT_EQ(one.nodes, std::vector<std::uint32_t>{one.node});
  EXPECT_DOUBLE_EQ(one.count, 0.25);
  EXPECT_EQ(one.facts.at("steps_changed"), 1);
  EXPECT_EQ(one.facts.at("steps_compared"), 4);
  EXPECT_EQ(one.facts.at("variants"), 2);
  EXPECT_EQ(one.facts.at("input"), 0);
  EXPECT_EQ(one.facts.at("followers"), 0);
  EXPECT_EQ(one.facts.at("pin_bytes"), 2 * 2 * 64 * 8 * 8 * 4);
  EXPECT_DOUBLE_EQ(one.facts.at("extra_us_per_changed_step"), 5);
  EXPECT_DOUBLE_EQ(one.saving->best_ns, 5000.0 / 4);
  EXPECT_EQ(one.words.at("sizes"), "[2, 64, 8, 8]");
  EXPECT_EQ(one.words.at("expected"), "[4096, 64, 8, 1]");
  EXPECT_EQ(one.words.at("actual"), "[4096, 1, 512, 64]");
  EXPECT_EQ(one.words.at("usual_layout"), "contiguous");
  EXPECT_EQ(one.words.at("changed_layout"), "channels_last");
  EXPECT_EQ(one.words.at("steps"), "3");
  EXPECT_EQ(one.words.at("pin"), ".contiguous()");
  EXPECT_THAT(one.words.at("producer"), HasSubstr("outside"));  // no operator of the step made it
  EXPECT_EQ(one.facts.at("changes_per_step"), 0.25);
  EXPECT_EQ(one.confidence, 0.95);
  EXPECT_EQ(found.compared, 2u);
}

TEST(StrideStability, TheUsualLayoutIsTheOneOfMostSteps) {
  Steps steps;
  for (int i = 1; i <= 3; ++i) steps.step().op("aten::relu", {i == 1 ? contiguous : channels_last});
  const StrideStability found = eager_stride_instability(*steps.trace());
  ASSERT_THAT(found.candidates, SizeIs(1));
  EXPECT_EQ(found.candidates[0].words.at("usual_layout"), "channels_last");
  EXPECT_EQ(found.candidates[0].words.at("steps"), "1");
  EXPECT_EQ(found.candidates[0].words.at("pin"), ".contiguous(memory_format=torch.channels_last)");
}

// Other sizes are changing shapes: a smaller last batch, and batches of any size.
TEST(StrideStability, ChangingShapesAreNoFinding) {
  Steps steps;
  for (int i = 1; i <= 4; ++i) {
    steps.step().op("aten::relu", {i == 4 ? Input{"[1, 64, 8, 8]", "[4096, 64, 8, 1]"} : contiguous});
    steps.op("aten::softmax", {{fmt::format("[4, {}]", 8 + i), fmt::format("[{}, 1]", 8 + i)}});
  }
  const StrideStability found = eager_stride_instability(*steps.trace());
  EXPECT_THAT(found.candidates, IsEmpty());
  EXPECT_EQ(found.changing_shapes, 2u);
}

// Sizes change in one step, and strides between the others.
TEST(StrideStability, StridesOfTheSizesThatMostStepsHave) {
  Steps steps;
  for (int i = 1; i <= 4; ++i)
    steps.step().op("aten::relu", {i == 4 ? Input{"[1, 64, 8, 8]", "[4096, 64, 8, 1]"} : i == 2 ? channels_last : contiguous});
  const StrideStability found = eager_stride_instability(*steps.trace());
  ASSERT_THAT(found.candidates, SizeIs(1));
  EXPECT_EQ(found.candidates[0].words.at("steps"), "2");
  EXPECT_EQ(found.candidates[0].facts.at("steps_compared"), 3);
  EXPECT_EQ(found.changing_shapes, 1u);
}

// Dimensions of one element, one channel, one pixel, tensors of one element and without any.
TEST(StrideStability, StridesThatDecideNothingAreNoFinding) {
  Steps steps;
  for (int i = 1; i <= 3; ++i) {
    const bool odd = i == 2;
    steps.step().op("aten::relu", {{"[8, 1, 4]", odd ? "[4, 99, 1]" : "[4, 4, 1]"}});
    steps.op("aten::relu", {{"[2, 1, 4, 4]", odd ? "[16, 1, 4, 1]" : "[16, 16, 4, 1]"}});
    steps.op("aten::relu", {{"[2, 8, 1, 1]", odd ? "[8, 1, 8, 8]" : "[8, 1, 1, 1]"}});
    steps.op("aten::relu", {{"[1, 1]", odd ? "[7, 3]" : "[1, 1]"}});
    steps.op("aten::relu", {{"[0, 4]", odd ? "[1, 0]" : "[4, 1]"}});
  }
  EXPECT_THAT(eager_stride_instability(*steps.trace()).candidates, IsEmpty());
}

TEST(StrideStability, AnotherTypeIsNoFinding) {
  Steps steps;
  for (int i = 1; i <= 3; ++i) steps.step().op("aten::relu", {contiguous});
  std::string text = steps.recording().text();
  const std::size_t last = text.rfind("\"float\"");
  text.replace(last, 7, "\"c10::Half\"");
  text.replace(text.rfind("[4096, 64, 8, 1]"), 16, "[4096, 1, 512, 64]");
  const std::unique_ptr<ByteSource> source = open_bytes(text);
  Result<model::Timeline> timeline = ingest::trace::read_trace("t.json", *source, {.all_arguments = true});
  ASSERT_TRUE(timeline);
  EXPECT_THAT(eager_stride_instability(**LayoutTrace::of(std::move(*timeline))).candidates, IsEmpty());
}

// relu(x), then a convolution of its result, and the sum of that with x: one tensor, one finding.
TEST(StrideStability, WhatFlowsOnBelongsToTheFirst) {
  Steps steps;
  for (int i = 1; i <= 3; ++i) {
    const Input& x = i == 3 ? channels_last : contiguous;
    const Input after{"[2, 32, 6, 6]", i == 3 ? "[1152, 1, 192, 32]" : "[1152, 36, 6, 1]"};
    steps.step();
    steps.around("aten::relu", {x}, [&](Steps& inside) { inside.op("aten::clamp_min", {x}, 2); });
    steps.op("aten::conv2d", {x, weight}, 3).op("aten::gelu", {after}, 1).op("aten::mul", {x, x}, 1);
  }
  const auto trace = steps.trace();
  const StrideStability found = eager_stride_instability(*trace);
  ASSERT_THAT(found.candidates, SizeIs(1));
  EXPECT_EQ(trace->name(found.candidates[0].node), "aten::relu");
  EXPECT_EQ(found.candidates[0].facts.at("followers"), 4);  // clamp_min, conv2d, gelu, mul
  EXPECT_THAT(found.candidates[0].nodes, SizeIs(5));
  EXPECT_DOUBLE_EQ(found.candidates[0].count, 5.0 / 3);
  EXPECT_DOUBLE_EQ(found.candidates[0].facts.at("extra_us_per_changed_step"), 0);
}

// Two tensors that change in different steps, and two of other sizes in the same step, have causes of their own.
TEST(StrideStability, TensorsThatHaveNothingToDoWithEachOther) {
  Steps steps;
  for (int i = 1; i <= 4; ++i) {
    steps.step().op("aten::relu", {i == 2 ? channels_last : contiguous});
    steps.op("aten::tanh", {i == 3 ? channels_last : contiguous});
    steps.op("aten::exp", {{"[5, 7]", i == 2 ? "[1, 5]" : "[7, 1]"}});
  }
  const auto trace = steps.trace();
  const StrideStability found = eager_stride_instability(*trace);
  ASSERT_THAT(found.candidates, SizeIs(3));
  EXPECT_EQ(trace->name(found.candidates[0].node), "aten::relu");
  EXPECT_EQ(trace->name(found.candidates[1].node), "aten::tanh");
  EXPECT_EQ(trace->name(found.candidates[2].node), "aten::exp");
}

// A step copies where the others permute.
TEST(StrideStability, NamesTheProducerAndWhatOnlyThatStepCalls) {
  Steps steps;
  const Input source{"[8, 12, 64, 32]", "[24576, 2048, 32, 1]"};
  for (int i = 1; i <= 3; ++i) {
    steps.step().op("aten::gelu", {source}).op("aten::transpose", {source});
    const Input turned{"[8, 64, 12, 32]", "[24576, 32, 2048, 1]"};
    if (i == 2) steps.op("aten::contiguous", {turned});
    steps.op("aten::sum", {i == 2 ? Input{"[8, 64, 12, 32]", "[24576, 384, 32, 1]"} : turned});
  }
  const auto trace = steps.trace();
  const StrideStability found = eager_stride_instability(*trace);
  ASSERT_THAT(found.candidates, SizeIs(1));
  const Candidate& one = found.candidates[0];
  EXPECT_EQ(trace->name(one.node), "aten::sum");
  EXPECT_EQ(one.words.at("producer"), "aten::contiguous");
  EXPECT_EQ(one.words.at("usual_producer"), "aten::transpose");
  EXPECT_EQ(one.words.at("inserted"), "aten::contiguous");
  EXPECT_EQ(one.confidence, 0.95);
}

// A loop runs three times in two steps and twice in one; its operators take turns between two layouts.
TEST(StrideStability, ALoopOfAnotherLengthIsNoFinding) {
  Steps steps;
  for (int i = 1; i <= 3; ++i) {
    steps.step().op("aten::gelu", {contiguous});
    for (int k = i == 2 ? 1 : 0; k < 3; ++k) steps.op("aten::relu", {k % 2 == 0 ? contiguous : channels_last});
    steps.op("aten::tanh", {contiguous});
  }
  EXPECT_THAT(eager_stride_instability(*steps.trace()).candidates, IsEmpty());
}

// The same, and the third time of the shorter loop has strides that no time has in the usual step.
TEST(StrideStability, InALoopOfAnotherLengthNewStridesAreLessCertain) {
  Steps steps;
  for (int i = 1; i <= 3; ++i) {
    steps.step().op("aten::gelu", {contiguous});
    for (int k = i == 2 ? 1 : 0; k < 3; ++k)
      steps.op("aten::relu", {i == 2 && k == 1 ? Input{"[2, 64, 8, 8]", "[8192, 128, 16, 2]"} : k == 0 ? contiguous : channels_last});
    steps.op("aten::tanh", {contiguous});
  }
  const StrideStability found = eager_stride_instability(*steps.trace());
  ASSERT_THAT(found.candidates, SizeIs(1));
  EXPECT_EQ(found.candidates[0].words.at("changed_layout"), "gapped");
  EXPECT_EQ(found.candidates[0].confidence, 0.6);
  EXPECT_THAT(found.candidates[0].caveats, ElementsAre(HasSubstr("not certain which")));
}

// Every second step runs the optimizer: its operators have no partner, those behind it keep theirs.
TEST(StrideStability, StepsOfDifferentLengthKeepTheirPlaces) {
  Steps steps;
  for (int i = 1; i <= 4; ++i) {
    steps.step().op("aten::relu", {contiguous});
    for (int k = 0; k < 400 && i % 2 == 0; ++k) steps.op("aten::addcdiv_", {{"[4]", "[1]"}});
    steps.op("aten::tanh", {{"[5, 7]", i == 4 ? "[1, 5]" : "[7, 1]"}});
  }
  const auto trace = steps.trace();
  const StrideStability found = eager_stride_instability(*trace);
  ASSERT_THAT(found.candidates, SizeIs(1));
  EXPECT_EQ(trace->name(found.candidates[0].node), "aten::tanh");
  EXPECT_EQ(found.candidates[0].words.at("steps"), "4");
}

TEST(StrideStability, TheBoundaryOfACompiledRegion) {
  Steps steps;
  for (int i = 1; i <= 3; ++i) {
    const Input& x = i == 3 ? channels_last : contiguous;
    steps.step().around("Torch-Compiled Region: 0/0", {}, [&](Steps& inside) { inside.op("CompiledFunction", {x}); });
  }
  const auto trace = steps.trace();
  const StrideStability found = eager_stride_instability(*trace);
  ASSERT_THAT(found.candidates, SizeIs(1));
  EXPECT_EQ(found.candidates[0].facts.at("at_compiled_region"), 1);
  EXPECT_EQ(found.candidates[0].facts.at("has_compiled"), 1);
}

TEST(StrideStability, SaysWhatItCannotAsk) {
  Steps no_strides;
  for (int i = 1; i <= 3; ++i) no_strides.step().op("aten::relu", {{"[2, 2]", ""}});
  const StrideStability without = eager_stride_instability(*no_strides.trace());
  EXPECT_THAT(without.candidates, IsEmpty());
  EXPECT_THAT(without.not_assessed, ElementsAre(HasSubstr("PyTorch 2.4")));
  Steps one;
  one.step().op("aten::relu", {contiguous});
  EXPECT_THAT(eager_stride_instability(*one.trace()).not_assessed, ElementsAre(HasSubstr("one step")));
}

TEST(StrideStability, TwoStepsAreLessCertain) {
  Steps steps;
  for (int i = 1; i <= 2; ++i) steps.step().op("aten::relu", {i == 2 ? channels_last : contiguous});
  const StrideStability found = eager_stride_instability(*steps.trace());
  ASSERT_THAT(found.candidates, SizeIs(1));
  EXPECT_EQ(found.candidates[0].confidence, 0.7);
}

}  // namespace
}  // namespace frx::derive::layout
