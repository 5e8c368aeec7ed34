#include "derive/layout/conversion_graph.h"

#include <gmock/gmock.h>

#include "derive/layout/testing.h"

namespace frx::derive::layout {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// Pictures of 8 x 16 x 32 x 32 halves: 256 KiB, so that a conversion moves twice that.
const std::string picture = "[8, 16, 32, 32]", planar = "[16384, 1024, 32, 1]", interleaved = "[16384, 1, 512, 16]";
constexpr double twice_read = 2 * 262144;

RecordedArguments one_half_picture(const std::string& strides, const std::string& sizes = picture) {
  return {.sizes = "[" + sizes + "]", .strides = strides.empty() ? "" : "[" + strides + "]", .types = R"(["c10::Half"])"};
}

// A 3 x 3 convolution that keeps the sizes.
void call_convolution(Recording& program, const std::string& strides, const std::vector<std::string>& kernels) {
  program.op("aten::conv2d",
             {.sizes = "[" + picture + ", [16, 16, 3, 3], [], [], [], [], []]",
              .strides = strides.empty() ? "" : "[" + strides + ", [144, 9, 3, 1], [], [], [], [], []]",
              .types = R"(["c10::Half", "c10::Half", "", "", "", "", ""])",
              .values = R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "1"])"},
             [&] {
               program.op("aten::cudnn_convolution",
                          {.sizes = "[" + picture + ", [16, 16, 3, 3], [], [], [], []]",
                           .strides = strides.empty() ? "" : "[" + strides + ", [144, 9, 3, 1], [], [], [], []]",
                           .types = R"(["c10::Half", "c10::Half", "", "", "", ""])",
                           .values = R"(["", "", "[1, 1]", "[1, 1]", "[1, 1]", "1"])"},
                          [&] {
                            for (const std::string& kernel : kernels) program.kernel(kernel, 10);
                          });
             });
}

void call_pointwise(Recording& program, std::string_view name, const std::string& strides) {
  program.op(name, one_half_picture(strides), [&] { program.kernel("elementwise", 5); });
}

void call_contiguous(Recording& program, const std::string& from, const std::string& to) {
  program.op("aten::contiguous", one_half_picture(from), [&] {
    program.op("aten::copy_",
               {.sizes = "[" + picture + ", " + picture + ", []]",
                .strides = "[" + to + ", " + from + ", []]",
                .types = R"(["c10::Half", "c10::Half", "Scalar"])"},
               [&] { program.kernel("copy", 10); });
  });
}

std::uint32_t nth_node(const LayoutTrace& trace, std::string_view name, std::size_t which = 0) {
  for (std::uint32_t node = 0; node < trace.nodes().size(); ++node) {
    if (trace.name(node) == name && which-- == 0) return node;
  }
  ADD_FAILURE() << name;
  return 0;
}

// Two planar convolutions, each of which converts 600,000 bytes inside, and something that needs the planar order behind them.
TEST(ConversionGraph, ConvertsOnceAroundConvolutions) {
  Recording program;
  call_convolution(program, planar, {"nchwToNhwcKernel", "conv"});
  call_pointwise(program, "aten::relu_", planar);
  call_convolution(program, planar, {"nchwToNhwcKernel", "conv"});
  program.op("aten::view", one_half_picture(planar));
  const auto trace = program.trace();
  ASSERT_TRUE(trace);
  const SeenConversion seen[] = {{nth_node(*trace, "aten::cudnn_convolution"), 600000, 10000},
                                 {nth_node(*trace, "aten::cudnn_convolution", 1), 600000, 10000}};
  const GlobalLayout global = global_layout(*trace, seen);
  EXPECT_EQ(global.not_assessed, "");
  EXPECT_EQ(global.as_it_is.bytes, 1200000);
  EXPECT_EQ(global.as_it_is.conversions, 0u);
  EXPECT_EQ(global.as_it_is.time_ns, 20000);
  EXPECT_EQ(global.contiguous.bytes, 1200000);
  EXPECT_EQ(global.channels_last.bytes, 2 * twice_read);
  EXPECT_EQ(global.best.bytes, 2 * twice_read);
  // 60 bytes per nanosecond, as the conversions that were seen.
  EXPECT_NEAR(*global.best.time_ns, 2 * twice_read / 60, 0.5);
  ASSERT_THAT(global.conversions, SizeIs(2));
  EXPECT_EQ(global.conversions[0].to, TensorLayout::channels_last);  // of equal ones, the first of the program
  EXPECT_EQ(global.conversions[1].to, TensorLayout::contiguous);
  EXPECT_EQ(global.explained, 1.0);
  EXPECT_EQ(global.confidence, 0.8);
  EXPECT_EQ(global.in_channels_last, 3u);
}

// Behind a pool to one pixel nothing has to be converted back.
TEST(ConversionGraph, OnePixelNeedsNoConversion) {
  Recording program;
  call_convolution(program, planar, {"nchwToNhwcKernel", "conv"});
  call_convolution(program, planar, {"nchwToNhwcKernel", "conv"});
  program.op(
      "aten::adaptive_avg_pool2d",
      {.sizes = "[" + picture + ", []]", .strides = "[" + planar + ", []]", .types = R"(["c10::Half", ""])", .values = R"(["", "[1, 1]"])"},
      [&] { program.kernel("reduce", 5); });
  program.op("aten::flatten", one_half_picture("[16, 1, 1, 1]", "[8, 16, 1, 1]"));
  const auto trace = program.trace();
  ASSERT_TRUE(trace);
  const SeenConversion seen[] = {{nth_node(*trace, "aten::cudnn_convolution"), 600000, 10000},
                                 {nth_node(*trace, "aten::cudnn_convolution", 1), 600000, 10000}};
  const GlobalLayout global = global_layout(*trace, seen);
  EXPECT_EQ(global.best.bytes, twice_read);
  EXPECT_EQ(global.channels_last.bytes, twice_read);
  ASSERT_THAT(global.conversions, SizeIs(1));
  EXPECT_EQ(global.conversions[0].producer, none);  // the input of the program
  EXPECT_EQ(global.conversions[0].consumer, nth_node(*trace, "aten::conv2d"));
  EXPECT_THAT(global.conversions[0].sizes, ElementsAre(8, 16, 32, 32));
  EXPECT_EQ(global.conversions[0].to, TensorLayout::channels_last);
}

// What flattens a picture needs it contiguous, and gives none.
TEST(ConversionGraph, WhatFlattensNeedsContiguousPictures) {
  Recording program;
  call_convolution(program, interleaved, {"conv"});
  program.op("aten::flatten", one_half_picture(interleaved),
             [&] { program.op("aten::clone", one_half_picture(interleaved), [&] { program.kernel("copy", 10); }); });
  call_pointwise(program, "aten::relu", planar);  // of another tensor of these sizes
  const auto trace = program.trace();
  ASSERT_TRUE(trace);
  const SeenConversion seen[] = {{nth_node(*trace, "aten::flatten"), 600000, 10000}};
  const LayoutGraph graph = conversion_graph_of(*trace, seen);
  const auto flatten = std::ranges::find(graph.nodes, nth_node(*trace, "aten::flatten")) - graph.nodes.begin();
  ASSERT_LT(flatten, 3);
  EXPECT_EQ(graph.problem.operators[static_cast<std::size_t>(flatten)].channels_last, forbidden);
  // The result of the convolution, converted for what flattens it.
  const GlobalLayout global = global_layout(*trace, seen);
  EXPECT_EQ(global.as_it_is.bytes, 600000);
  EXPECT_EQ(global.best.bytes, 600000);
  EXPECT_EQ(global.explained, 1.0);
}

// Without conversions inside the convolutions there is nothing to gain.
TEST(ConversionGraph, WhatConvertsNothingStaysAsItIs) {
  Recording program;
  call_convolution(program, planar, {"conv"});
  call_pointwise(program, "aten::relu_", planar);
  const auto trace = program.trace();
  ASSERT_TRUE(trace);
  const GlobalLayout global = global_layout(*trace, {}, 1e12);
  EXPECT_EQ(global.not_assessed, "");
  EXPECT_EQ(global.as_it_is.bytes, 0);
  EXPECT_EQ(global.best.bytes, 0);
  EXPECT_EQ(global.channels_last.bytes, twice_read);
  EXPECT_DOUBLE_EQ(*global.channels_last.time_ns, twice_read / 1000);  // at 1 TB/s
  EXPECT_EQ(global.explained, std::nullopt);
}

// A program that converts before and behind each of two convolutions: one conversion forth and one back are enough.
TEST(ConversionGraph, CopiesBetweenOperatorsAreOnTheWayOfATensor) {
  Recording program;
  for (int i = 0; i < 2; ++i) {
    call_contiguous(program, planar, interleaved);
    call_convolution(program, interleaved, {"conv"});
    call_contiguous(program, interleaved, planar);
  }
  program.op("aten::view", one_half_picture(planar));
  const auto trace = program.trace();
  ASSERT_TRUE(trace);
  std::vector<SeenConversion> seen;
  for (std::size_t i = 0; i < 4; ++i) seen.push_back({nth_node(*trace, "aten::contiguous", i), 1000.0 + static_cast<double>(i), 10000});
  const LayoutGraph graph = conversion_graph_of(*trace, seen);
  EXPECT_THAT(graph.nodes,
              ElementsAre(none, nth_node(*trace, "aten::conv2d"), nth_node(*trace, "aten::conv2d", 1), nth_node(*trace, "aten::view")));
  EXPECT_THAT(graph.current,
              ElementsAre(TensorLayout::contiguous, TensorLayout::channels_last, TensorLayout::channels_last, TensorLayout::contiguous));
  const GlobalLayout global = global_layout(*trace, seen);
  EXPECT_EQ(global.explained, 1.0);
  EXPECT_EQ(global.as_it_is.bytes, 1000 + 1001 + 1002 + 1003);
  EXPECT_EQ(global.as_it_is.conversions, 4u);
  EXPECT_EQ(global.as_it_is.time_ns, 40000);
  // The tensor between the convolutions is converted back and forth, 1001 and 1002 bytes; the best plan leaves both out.
  EXPECT_EQ(global.best.bytes, 1000 + 1003);
  EXPECT_EQ(global.best.conversions, 2u);
}

// add(second convolution, input of the first): the input has been read before, the result of the second has not.
TEST(ConversionGraph, ResidualConnectionsReadTwoTensors) {
  Recording program;
  call_pointwise(program, "aten::relu", planar);
  call_convolution(program, planar, {"conv"});
  call_convolution(program, planar, {"conv"});
  program.op("aten::add_",
             {.sizes = "[" + picture + ", " + picture + ", []]",
              .strides = "[" + planar + ", " + planar + ", []]",
              .types = R"(["c10::Half", "c10::Half", "Scalar"])"},
             [&] { program.kernel("elementwise", 5); });
  const auto trace = program.trace();
  ASSERT_TRUE(trace);
  const LayoutGraph graph = conversion_graph_of(*trace, {});
  // outside, relu, conv2d, conv2d, add_
  ASSERT_THAT(graph.nodes, SizeIs(5));
  ASSERT_THAT(graph.problem.tensors, SizeIs(5));
  EXPECT_THAT(graph.problem.tensors[3].consumers, ElementsAre(4));
  EXPECT_EQ(graph.guessed_edges, 1u);  // the second input of the addition
  EXPECT_EQ(graph.edges, 5u);
}

// Gradients go the same way back: a conversion is paid twice. The input of the program has none.
TEST(ConversionGraph, TrainingPaysTwiceBehindWhatLearns) {
  Recording program;
  call_convolution(program, planar, {"conv"});
  program.op("aten::view", one_half_picture(planar));
  call_pointwise(program, "aten::relu_", planar);
  program.op("autograd::engine::evaluate_function: ReluBackward0", {},
             [&] { call_pointwise(program, "aten::threshold_backward", planar); });
  const auto trace = program.trace();
  ASSERT_TRUE(trace);
  const GlobalLayout global = global_layout(*trace, {});
  EXPECT_EQ(global.operators, 4u);
  EXPECT_EQ(global.channels_last.bytes, twice_read + 2 * twice_read);
  EXPECT_EQ(global.channels_last.time_ns, std::nullopt);  // neither a bandwidth nor a conversion that was timed
}

// Recorded without the strides and paddings of the convolution, which halves the picture: what is read next with its channels is its
// result.
TEST(ConversionGraph, ResultsOfUnknownSizesAreWhatIsReadNext) {
  Recording program;
  program.op("aten::cudnn_convolution",
             {.sizes = "[" + picture + ", [24, 16, 3, 3], [], [], [], []]", .types = R"(["c10::Half", "c10::Half", "", "", "", ""])"},
             [&] { program.kernel("nchwToNhwcKernel", 10); });
  program.op("aten::relu", {.sizes = "[[8, 24, 16, 16]]", .types = R"(["c10::Half"])"}, [&] { program.kernel("elementwise", 5); });
  const auto trace = program.trace();
  ASSERT_TRUE(trace);
  const SeenConversion seen[] = {{nth_node(*trace, "aten::cudnn_convolution"), 600000, 10000}};
  const LayoutGraph graph = conversion_graph_of(*trace, seen);
  EXPECT_THAT(graph.nodes, ElementsAre(nth_node(*trace, "aten::cudnn_convolution"), none, nth_node(*trace, "aten::relu")));
  ASSERT_THAT(graph.problem.tensors, SizeIs(3));
  EXPECT_EQ(graph.problem.tensors[1].producer, 0u);
  EXPECT_THAT(graph.problem.tensors[1].consumers, ElementsAre(2));
  EXPECT_EQ(graph.guessed_edges, 1u);
}

TEST(ConversionGraph, SaysWhyItIsNotAssessed) {
  Recording bare;
  bare.op("aten::conv2d", {}, [&] { bare.kernel("conv", 10); });
  EXPECT_THAT(global_layout(*bare.trace(), {}).not_assessed, ::testing::HasSubstr("record_shapes=True"));
  Recording shapes;
  call_convolution(shapes, "", {"nchwToNhwcKernel", "conv"});
  const auto trace = shapes.trace();
  EXPECT_THAT(global_layout(*trace, {}).not_assessed, ::testing::HasSubstr("strides were not recorded"));
  const SeenConversion seen[] = {{nth_node(*trace, "aten::cudnn_convolution"), {}, 10000}};
  const GlobalLayout global = global_layout(*trace, seen, 1e12);
  EXPECT_EQ(global.not_assessed, "");
  EXPECT_EQ(global.as_it_is.bytes, 10000 * 1000);  // 10 us at 1 TB/s
  EXPECT_EQ(global.confidence, 0.5);
  Recording no_convolution;
  call_pointwise(no_convolution, "aten::relu", planar);
  EXPECT_THAT(global_layout(*no_convolution.trace(), {}).not_assessed, ::testing::HasSubstr("no convolution"));
}

}  // namespace
}  // namespace frx::derive::layout
