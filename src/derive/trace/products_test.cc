#include "derive/trace/products.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"
#include "knowledge/knowledge.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

double flops(std::string_view name, std::string_view shapes, std::string_view concrete = "") {
  const std::optional<ProductWork> work = work_of_product({name, shapes, concrete});
  return work ? work->flops : -1;
}

TEST(ProductWork, OfMatrixProductsIsTwiceTheProductOfTheirSizes) {
  EXPECT_EQ(flops("aten::mm", "[[8, 128], [128, 64]]"), 2.0 * 8 * 128 * 64);
  EXPECT_EQ(flops("aten::addmm", "[[64], [8, 128], [128, 64], [], []]"), 2.0 * 8 * 128 * 64);
  EXPECT_EQ(flops("aten::bmm", "[[4, 8, 16], [4, 16, 32]]"), 2.0 * 4 * 8 * 16 * 32);
  EXPECT_EQ(flops("aten::baddbmm", "[[4, 8, 32], [4, 8, 16], [4, 16, 32], [], []]"), 2.0 * 4 * 8 * 16 * 32);
  EXPECT_EQ(flops("aten::linear", "[[2, 5, 16], [32, 16], [32]]"), 2.0 * 10 * 16 * 32);
  EXPECT_EQ(work_of_product({"aten::mm", "[[8,128],[128,64]]", ""})->elements, 8 * 128 + 128 * 64 + 8 * 64);
}

TEST(ProductWork, ShapesThatDoNotFitGiveNone) {
  EXPECT_EQ(flops("aten::mm", "[[8, 128], [64, 128]]"), -1);
  EXPECT_EQ(flops("aten::mm", "[[8, 128]]"), -1);
  EXPECT_EQ(flops("aten::bmm", "[[4, 8, 16], [3, 16, 32]]"), -1);
  EXPECT_EQ(flops("aten::mm", "[[8, 1e5], [128, 64]]"), -1);
  EXPECT_EQ(flops("aten::relu", "[[8, 128], [128, 64]]"), -1);
  EXPECT_EQ(flops("aten::mm", "]]"), -1);
}

TEST(ProductWork, OfConvolutionsNeedsTheirSettings) {
  const std::string_view shapes = "[[1, 3, 32, 32], [16, 3, 3, 3], [], [], [], [], []]";
  EXPECT_EQ(flops("aten::conv2d", shapes), -1);
  // 16 x 32 x 32 outputs of 27 products each; with a stride of 2, 16 x 16 of them.
  EXPECT_EQ(flops("aten::conv2d", shapes, R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "1"])"), 2.0 * 16 * 32 * 32 * 27);
  EXPECT_EQ(flops("aten::conv2d", shapes, R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "1"])"), 2.0 * 16 * 16 * 16 * 27);
  EXPECT_EQ(flops("aten::cudnn_convolution", shapes, R"(["", "", "[1, 1]", "[2, 2]", "[1, 1]", "1", "False", "False", "True"])"),
            2.0 * 16 * 16 * 16 * 27);
  EXPECT_EQ(flops("aten::miopen_convolution", shapes, R"(["", "", "", "[0, 0]", "[1, 1]", "[2, 2]", "1", "False", "False"])"),
            2.0 * 16 * 28 * 28 * 27);
  EXPECT_GT(
      flops("aten::conv2d", "[[1, 3, 99999999999999999999, 32], [16, 3, 3, 3]]", R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "1"])"),
      1e20);
  EXPECT_EQ(flops("aten::conv2d", shapes, R"(["", "", "", "[0, 0]", "[1, 1]", "[1, 1]", "1"])"), -1);
  EXPECT_EQ(flops("aten::conv2d", shapes, R"(["", "", "", "[1, 1]", "same", "[1, 1]", "1"])"), -1);
  // Groups: the weight has the channels of one.
  EXPECT_EQ(flops("aten::conv2d", "[[2, 32, 8, 8], [32, 1, 3, 3], []]", R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "32"])"),
            2.0 * 2 * 32 * 8 * 8 * 9);
  EXPECT_EQ(flops("aten::convolution", "[[1, 8, 5], [8, 4, 3], []]", R"(["", "", "", "[2]", "[1]", "[1]", "True", "[0]", "1"])"),
            2.0 * 8 * 5 * 4 * 3);
}

TEST(ProductWork, OfGradientsCountsThoseThatAreAskedFor) {
  const std::string_view shapes = "[[256, 512, 4, 4], [256, 128, 4, 4], [512, 128, 1, 1], [], [], [], [], [], [], [], []]";
  const auto asked = [&](std::string_view mask) {
    return flops("aten::convolution_backward", shapes,
                 fmt::format(R"(["", "", "", "[0]", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1", "{}"])", mask));
  };
  const double each = 2.0 * 256 * 512 * 16 * 128;
  EXPECT_EQ(asked("[True, True, False]"), 2 * each);
  EXPECT_EQ(asked("[False, True, True]"), each);
  EXPECT_EQ(asked("[True, False, True]"), each);
  EXPECT_EQ(flops("aten::convolution_backward", shapes), -1);
}

std::string product(int correlation, std::string_view name, std::string_view arguments, std::string_view kernel, double begin,
                    double length) {
  const std::string id = fmt::format(R"("correlation": {}, "device": 0, "stream": 7)", correlation);
  return event("cpu_op", name, "1/1", begin, 20, arguments) + event("cuda_runtime", "cudaLaunchKernel", "1/1", begin + 5, 5, id) +
         event("kernel", kernel, "0/7", begin + 30, length, id);
}

Products of(const std::string& events) {
  static const knowledge::Knowledge known = knowledge::Knowledge::load("").value();
  const model::Timeline timeline = trace_of(trace_with(events));
  return products_of(timeline, attribute(timeline), known.classes, -1);
}

TEST(Products, AddUpTheCallsOfOneShapeAndType) {
  const std::string half = R"("Input Dims": [[8, 128], [128, 64]], "Input type": ["c10::Half", "c10::Half"])";
  const std::string wide = R"("Input Dims": [[16, 128], [128, 64]], "Input type": ["c10::Half", "c10::Half"])";
  const Products found = of(product(1, "aten::mm", half, "ampere_fp16_s16816gemm_fp16_128x128", 0, 10) +
                            product(2, "aten::mm", half, "ampere_fp16_s16816gemm_fp16_128x128", 100, 30) +
                            product(3, "aten::mm", wide, "ampere_sgemm_128x64_tn", 200, 5));
  ASSERT_EQ(found.products.size(), 2u);
  EXPECT_EQ(found.products[0].calls, 2u);
  EXPECT_EQ(found.products[0].gpu_ns, 40'000);
  EXPECT_EQ(found.products[0].flops(), 2 * 2.0 * 8 * 128 * 64);
  EXPECT_EQ(found.products[0].type, "c10::Half");
  EXPECT_EQ(found.products[0].element_bytes, 2u);
  EXPECT_EQ(found.products[0].unit, ProductUnit::tensor_cores);
  EXPECT_EQ(found.products[1].unit, ProductUnit::fp32_cores);
  EXPECT_EQ(found.flops, (2 + 2) * 2.0 * 8 * 128 * 64);
  EXPECT_EQ(found.gpu_ns, 45'000);
}

TEST(Products, NameWhatIsMissing) {
  const Products found = of(product(1, "aten::mm", "", "gemm", 0, 10) +
                            product(2, "aten::conv2d", R"("Input Dims": [[1, 3, 32, 32], [16, 3, 3, 3]])", "conv", 100, 30) +
                            product(3, "aten::relu", R"("Input Dims": [[1, 3]])", "elementwise", 200, 7));
  EXPECT_TRUE(found.products.empty());
  EXPECT_EQ(found.without_shapes_ns, 10'000);
  EXPECT_EQ(found.without_settings_ns, 30'000);
}

}  // namespace
}  // namespace frx::derive::trace
