#include "derive/layout/channels_last.h"

#include <gmock/gmock.h>

#include "derive/layout/testing.h"

namespace frx::derive::layout {
namespace {

using ::testing::IsEmpty;

struct ConvolutionCall {
  const char *sizes = "[[8, 64, 28, 28], [128, 64, 3, 3]]", *strides = "[[50176, 784, 28, 1], [576, 9, 3, 1]]", *type = "c10::Half";
  const char* kernel = "sm80_xmma_fprop_implicit_gemm_f16f16_nhwckrsc_nhwc";
  int conversions = 0;
  const char* values = "";
};

void convolve(Recording& made, const ConvolutionCall& call) {
  const std::string types = fmt::format(R"(["{0}", "{0}"{1}])", call.type, *call.values ? R"(, "", "", "")" : "");
  const RecordedArguments arguments{call.sizes, call.strides, types, call.values};
  made.op("aten::conv2d", arguments, [&] {
    made.op("aten::cudnn_convolution", arguments, [&] {
      for (int i = 0; i < call.conversions; ++i) made.kernel("void cudnn::ops::nchwToNhwcKernel<__half, __half", 4);
      made.kernel(call.kernel, 50);
    });
  });
}

constexpr ConvolutionGpu gpu_of_cc_8 = {model::ComputeCapability{8, 0}};

ChannelsLast answer_of(const Recording& made, const ConvolutionGpu& gpu = gpu_of_cc_8) {
  static const knowledge::Library library = knowledge::Library::builtin();
  static const knowledge::KernelClasses classes = knowledge::KernelClasses::load(library).value();
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  return channels_last(*trace, copies_of(*trace, classes), gpu);
}

ChannelsLast answer_for(const ConvolutionCall& call, const ConvolutionGpu& gpu = gpu_of_cc_8) {
  Recording made;
  convolve(made, call);
  return answer_of(made, gpu);
}

TEST(ChannelsLast, ConversionsAreMeasured) {
  const ChannelsLast answer = answer_for({.conversions = 2});
  ASSERT_EQ(answer.found.size(), 1u);
  EXPECT_EQ(answer.found[0].pattern, "measured");
  EXPECT_EQ(answer.found[0].time_ns, 8000);
  EXPECT_EQ(answer.found[0].count, 1);
  EXPECT_EQ(answer.found[0].facts.at("conversions_per_step"), 2);
  EXPECT_EQ(answer.found[0].removed_work.size(), 2u);
}

// A profiler loses calls: whose conversion it is, its name tells well enough beside others.
TEST(ChannelsLast, ConversionsWhoseCallWasLostAreCountedBesideOthers) {
  Recording made;
  convolve(made, {.conversions = 1});
  made.kernel("void cudnn::ops::nhwcToNchwKernel<__half, __half", 6);
  const ChannelsLast answer = answer_of(made);
  ASSERT_EQ(answer.found.size(), 1u);
  EXPECT_EQ(answer.found[0].time_ns, 10000);
  EXPECT_EQ(answer.found[0].count, 1) << "of the operators that are known";
  Recording alone;
  alone.op("aten::relu");
  alone.kernel("void cudnn::ops::nhwcToNchwKernel<__half, __half", 6);
  EXPECT_TRUE(answer_of(alone).found.empty()) << "no place in the program";
}

TEST(ChannelsLast, KernelsForNchwAreASign) {
  const ChannelsLast answer = answer_for({.kernel = "sm80_xmma_fprop_implicit_gemm_f16f16_nchw_nchw"});
  ASSERT_EQ(answer.found.size(), 1u);
  EXPECT_EQ(answer.found[0].pattern, "by_kernels");
  EXPECT_FALSE(answer.found[0].saving);
}

TEST(ChannelsLast, KernelsForNchwSaveWhatTheirTimeExceedsTheRooflineBy) {
  // 8 images of 64 channels, 28 x 28, by 3 x 3 to 128 channels: 2 * 8 * 128 * 28 * 28 * 64 * 9 operations, of cudnn_convolution(input,
  // weight, padding, stride, dilation, ...).
  const ConvolutionCall call{.sizes = "[[8, 64, 28, 28], [128, 64, 3, 3], [], [], []]",
                             .strides = "[[50176, 784, 28, 1], [576, 9, 3, 1], [], [], []]",
                             .kernel = "sm80_xmma_fprop_implicit_gemm_f16f16_nchw_nchw",
                             .values = R"(["", "", "[1, 1]", "[1, 1]", "[1, 1]"])"};
  GpuPeaks peaks{.bandwidth_bytes_per_s = 1e15, .tensor16_flops = 924'844'032 / 20e-6};  // 20 us
  const ChannelsLast answer = answer_for(call, {.cc = model::ComputeCapability{8, 0}, .peaks = peaks});
  ASSERT_TRUE(answer.found[0].saving);
  EXPECT_EQ(answer.found[0].saving->low_ns, 0);
  EXPECT_NEAR(answer.found[0].saving->best_ns, 30'000, 1);
  EXPECT_EQ(answer.found[0].removed_work.size(), 1u);
  peaks.bandwidth_bytes_per_s = 1;  // nothing could be faster
  EXPECT_EQ(answer_for(call, {.cc = model::ComputeCapability{8, 0}, .peaks = peaks}).found[0].saving->best_ns, 0);
}

TEST(ChannelsLast, ShapesAloneGiveNoNumber) {
  const ChannelsLast answer = answer_for({.kernel = "some_kernel"});
  ASSERT_EQ(answer.found.size(), 1u);
  EXPECT_EQ(answer.found[0].pattern, "by_shapes");
  EXPECT_FALSE(answer.found[0].saving);
}

TEST(ChannelsLast, IsSilentWhereItWouldNotHelp) {
  EXPECT_THAT(answer_for({.strides = "[[50176, 1, 1792, 64], [576, 1, 192, 64]]"}).found, IsEmpty());  // channels-last already
  EXPECT_THAT(answer_for({}).found, IsEmpty());                                                        // its kernel is NHWC
  EXPECT_THAT(
      answer_for({.sizes = "[[8, 3, 28, 28], [64, 3, 3, 3]]", .strides = "[[2352, 784, 28, 1], [27, 9, 3, 1]]", .kernel = "k"}).found,
      IsEmpty());
  EXPECT_THAT(
      answer_for({.sizes = "[[8, 60, 28, 28], [64, 60, 3, 3]]", .strides = "[[47040, 784, 28, 1], [540, 9, 3, 1]]", .kernel = "k"}).found,
      IsEmpty());
  EXPECT_THAT(answer_for({.type = "double", .kernel = "k"}).found, IsEmpty());
  EXPECT_THAT(answer_for({.type = "float", .kernel = "k"}, {model::ComputeCapability{7, 5}}).found, IsEmpty());  // no TF32
  EXPECT_EQ(answer_for({.type = "float", .kernel = "k"}).found.size(), 1u);
  // One pixel: both layouts at once.
  EXPECT_THAT(answer_for({.sizes = "[[8, 64, 1, 1], [128, 64, 1, 1]]", .strides = "[[64, 1, 1, 1], [64, 1, 1, 1]]", .kernel = "k"}).found,
              IsEmpty());
}

TEST(ChannelsLast, CountsWhatIsLeftOut) {
  const ConvolutionCounts counts = answer_for({.sizes = "[[8, 64, 28, 28], [64, 1, 3, 3]]", .kernel = "k"}).counts;
  EXPECT_EQ(counts.all, 1);
  EXPECT_EQ(counts.depthwise, 1);
}

TEST(ChannelsLast, AnUnknownGpuIsSaid) {
  const ChannelsLast answer = answer_for({.kernel = "k"}, {});
  EXPECT_THAT(answer.found, IsEmpty());
  EXPECT_EQ(answer.not_assessed, "the GPU is not known: name it with --gpu-model");
  EXPECT_EQ(answer_for({.conversions = 2}, {}).found.size(), 1u);  // what was measured needs no GPU
}

TEST(ChannelsLast, NamesTheOperatorThatDropsTheLayout) {
  Recording made;
  made.op("aten::group_norm", {"[[8, 64, 28, 28]]", "[[50176, 1, 1792, 64]]", R"(["float"])"}, [&] { made.kernel("norm", 5); });
  made.op("aten::relu", {"[[8, 64, 28, 28]]", "[[50176, 784, 28, 1]]", R"(["float"])"}, [&] { made.kernel("relu", 5); });
  const std::unique_ptr<LayoutTrace> trace = made.trace();
  const ChannelsLast answer = channels_last(*trace, {}, {model::ComputeCapability{8, 0}});
  ASSERT_EQ(answer.found.size(), 1u);
  EXPECT_EQ(answer.found[0].pattern, "layout_loss");
  EXPECT_EQ(answer.found[0].words.at("operator"), "group_norm");
  EXPECT_EQ(answer.found[0].words.at("consumer"), "relu");
}

}  // namespace
}  // namespace frx::derive::layout
