#include "derive/layout/traffic.h"

#include <gtest/gtest.h>

#include <cmath>

#include "derive/layout/testing.h"

namespace frx::derive::layout {
namespace {

struct CallTexts {
  std::string_view name, shapes, types, strides = "", values = "", list_type = "";
};

std::optional<OperatorTraffic> traffic_of_texts(const CallTexts& call) {
  const std::optional<RecordedInputs> inputs = trace::recorded_inputs({call.shapes, call.types, call.strides, call.values});
  return inputs ? traffic_of_call({call.name, &*inputs, call.shapes, call.values, call.list_type}) : std::nullopt;
}

struct TrafficRow {
  CallTexts call;
  double low = 0, high = 0;
  double flops = -1;  // -1: not known
  bool is_lower_bound = false;
};

void expect_traffic(std::span<const TrafficRow> rows) {
  for (const TrafficRow& row : rows) {
    const std::optional<OperatorTraffic> found = traffic_of_texts(row.call);
    ASSERT_TRUE(found) << row.call.name << " of " << row.call.shapes;
    EXPECT_EQ(found->bytes_low, row.low) << row.call.name << " of " << row.call.shapes;
    EXPECT_EQ(found->bytes_high, row.high) << row.call.name << " of " << row.call.shapes;
    EXPECT_EQ(found->flops.value_or(-1), row.flops) << row.call.name << " of " << row.call.shapes;
    EXPECT_EQ(found->is_lower_bound, row.is_lower_bound) << row.call.name << " of " << row.call.shapes;
  }
}

constexpr std::string_view two_of_float = R"(["float", "float"])", two_of_half = R"(["c10::Half", "c10::Half"])";

TEST(Traffic, OfElementwiseWorkIsItsInputsAndTheBroadcastResult) {
  const TrafficRow rows[] = {
      {{"aten::add", "[[8, 4], [4]]", two_of_float}, 4 * (32 + 4 + 32), 4 * (32 + 4 + 32), 32},
      {{"aten::add_", "[[8, 4], [8, 4]]", two_of_half}, 2 * 96, 2 * 96, 32},
      {{"aten::eq", "[[8, 4], [8, 4]]", two_of_float}, 4 * 64 + 32, 4 * 64 + 32, 32},
      // Expanded from four elements.
      {{"aten::mul", "[[8, 4], [8, 4]]", two_of_float, "[[4, 1], [0, 1]]"}, 4 * (32 + 4 + 32), 4 * (32 + 4 + 32), 32},
      // Both channels-last: they are walked together, along their memory.
      {{"aten::add", "[[2, 8, 4, 4], [2, 8, 4, 4]]", two_of_float, "[[128, 1, 32, 8], [128, 1, 32, 8]]"}, 4 * 768, 4 * 768, 256},
      // One of them: each of its elements lies in a sector of its own, at worst.
      {{"aten::add", "[[2, 8, 4, 4], [2, 8, 4, 4]]", two_of_float, "[[128, 16, 4, 1], [128, 1, 32, 8]]"}, 4 * 768, 4 * 512 + 32 * 256, 256},
      {{"aten::native_dropout", "[[8, 4], [], []]", R"(["float", "", ""])", "", R"(["", "0.5", "True"])"}, 32 * 9, 32 * 9, 32},
      // The result goes where the last tensor is, which is not read.
      {{"aten::clamp_min", "[[8, 4], [], [8, 4]]", R"(["float", "Scalar", "float"])"}, 4 * 64, 4 * 64, 32},
      {{"aten::fill_", "[[8, 4], []]", R"(["float", "Scalar"])"}, 128, 128, 0},
  };
  expect_traffic(rows);
}

TEST(Traffic, OfACopyIsItsSourceAndItsDestination) {
  const TrafficRow rows[] = {
      {{"aten::copy_", "[[8, 4], [8, 4], []]", R"(["c10::Half", "float", ""])"}, 32 * 6, 32 * 6, 0},
      // Transposed: 16 bytes between neighbours of the destination.
      {{"aten::copy_", "[[8, 4], [8, 4], []]", R"(["float", "float", ""])", "[[4, 1], [1, 8], []]"}, 256, 128 + 32 * 32, 0},
      {{"aten::copy_", "[[8, 4], [8, 4], []]", R"(["float", "float", ""])", "[[4, 1], [0, 1], []]"}, 128 + 16, 128 + 16, 0},
      {{"aten::clone", "[[8, 4], []]", R"(["float", ""])"}, 256, 256, 0},
  };
  expect_traffic(rows);
}

TEST(Traffic, OfRowsMayTakeASecondPass) {
  const TrafficRow rows[] = {
      {{"aten::native_layer_norm", "[[8, 4], [], [4], [4], []]", R"(["float", "", "float", "float", ""])"}, 4 * 72, 4 * (72 + 40), 8 * 32},
      {{"aten::_softmax", "[[8, 4], [], []]", R"(["c10::Half", "", ""])", "", R"(["", "1", "False"])"}, 128, 192, 8 * 32},
      {{"aten::_softmax", "[[8, 4], [], []]", R"(["c10::Half", "", ""])", "", R"(["", "1", "True"])"}, 64 + 128, 64 + 64 + 128, 8 * 32},
  };
  expect_traffic(rows);
}

TEST(Traffic, OfReductionsAndPoolsIsWhatGoesInAndOut) {
  const TrafficRow rows[] = {
      {{"aten::sum", "[[8, 4], [], [], []]", R"(["float", "", "", ""])", "", R"(["", "[1]", "False", ""])"}, 128 + 32, 128 + 32, 32},
      // Over which dimensions is not known.
      {{"aten::sum", "[[8, 4], [], [], []]", R"(["float", "", "", ""])"}, 128, 256, 32},
      {{"aten::max", "[[8, 4], [], []]", R"(["float", "", ""])", "", R"(["", "1", "False"])"}, 128 + 8 * 12, 128 + 8 * 12, 32},
      {{"aten::max_pool2d_with_indices", "[[2, 3, 8, 8], [], [], [], [], []]", R"(["float", "", "", "", "", ""])", "",
        R"(["", "[2, 2]", "[2, 2]", "[0, 0]", "[1, 1]", "False"])"},
       384 * 4 + 96 * 12,
       384 * 4 + 96 * 12,
       384},
      {{"aten::avg_pool2d_backward", "[[2, 3, 4, 4], [2, 3, 8, 8]]", two_of_float}, 4 * (96 + 384 + 384), 4 * (96 + 384 + 384), 96},
  };
  expect_traffic(rows);
}

TEST(Traffic, OfIndicesIsWhatTheyName) {
  const TrafficRow rows[] = {
      // 128 rows of 64 elements, of a table of a thousand.
      {{"aten::embedding", "[[1000, 64], [8, 16]]", R"(["float", "long int"])"}, 1024 + 2 * 32768, 1024 + 2 * 32768, 0},
      // Of a table of ten rows, a row is read once at least.
      {{"aten::embedding", "[[10, 64], [8, 16]]", R"(["float", "long int"])"}, 1024 + 32768 + 2560, 1024 + 2 * 32768, 0},
      {{"aten::gather", "[[8, 64], [], [8, 2]]", R"(["float", "", "long int"])", "", R"(["", "1", ""])"}, 128 + 128, 128 + 128, 0},
      {{"aten::index_put_", "[[1000, 64], [[16]], [16, 64]]", R"(["float", "GenericList[Tensor(long int)]", "float"])"},
       128 + 8192,
       128 + 8192,
       0},
      {{"aten::embedding_bag", "[[1000, 64], [128], [8]]", R"(["float", "long int", "long int"])"}, 1088, 1088, 0, true},
  };
  expect_traffic(rows);
}

TEST(Traffic, OfProductsIsEachMatrixOnce) {
  const TrafficRow rows[] = {
      {{"aten::mm", "[[2, 3], [3, 5]]", two_of_float}, 4 * (6 + 15 + 10), 4 * (6 + 15 + 10), 60},
      {{"aten::addmm", "[[5], [2, 3], [3, 5], [], []]", R"(["c10::Half", "c10::Half", "c10::Half", "", ""])"}, 2 * 36, 2 * 36, 60},
      {{"aten::bmm", "[[7, 2, 3], [7, 3, 5]]", two_of_float}, 4 * 7 * 31, 4 * 7 * 31, 7 * 60},
      {{"aten::matmul", "[[7, 2, 3], [3, 5]]", two_of_float}, 4 * (42 + 15 + 70), 4 * (42 + 15 + 70), 7 * 60},
      {{"aten::linear", "[[7, 2, 3], [5, 3]]", two_of_float}, 4 * (42 + 15 + 70), 4 * (42 + 15 + 70), 7 * 60},
  };
  expect_traffic(rows);
}

TEST(Traffic, OfConvolutionsGoesByTheirSettings) {
  // Out: 8 x 64 x 55 x 55 elements, each of 3 x 11 x 11 products.
  constexpr double in = 8 * 3 * 224 * 224, weight = 64 * 3 * 121, out = 8 * 64 * 55 * 55;
  // 3 x 3 with padding 1: all of it keeps its size.
  constexpr double image = 2 * 16 * 8 * 8, kernel = 32 * 16 * 9, gradient = 2 * 32 * 8 * 8;
  constexpr std::string_view backward = "[[2, 32, 8, 8], [2, 16, 8, 8], [32, 16, 3, 3], [], [], [], [], [], [], [], []]";
  constexpr std::string_view types = R"(["float", "float", "float", "", "", "", "", "", "", "", ""])";
  const TrafficRow rows[] = {
      {{"aten::cudnn_convolution", "[[8, 3, 224, 224], [64, 3, 11, 11], [], [], [], []]", R"(["float", "float", "", "", "", ""])", "",
        R"(["", "", "[2, 2]", "[4, 4]", "[1, 1]", "1"])"},
       4 * (in + weight + out),
       4 * (in + weight + out),
       2 * out * 3 * 121},
      // Its settings were not recorded.
      {{"aten::cudnn_convolution", "[[8, 3, 224, 224], [64, 3, 11, 11], [], [], [], []]", R"(["float", "float", "", "", "", ""])"},
       4 * (in + weight),
       4 * (in + weight),
       -1,
       true},
      {{"aten::convolution_backward", backward, types, "",
        R"(["", "", "", "[32]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[True, True, False]"])"},
       4 * 2 * (image + kernel + gradient),
       4 * 2 * (image + kernel + gradient),
       2 * 2 * gradient * 16 * 9},
      {{"aten::convolution_backward", backward, types, "",
        R"(["", "", "", "[32]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[False, True, False]"])"},
       4 * (image + kernel + gradient),
       4 * (image + kernel + gradient),
       2 * gradient * 16 * 9},
  };
  expect_traffic(rows);
}

TEST(Traffic, OfAttentionDoesNotContainTheScores) {
  constexpr double q = 2 * 128 * 8 * 64, k = 2 * 256 * 8 * 64;
  constexpr std::string_view three = R"(["c10::Half", "c10::Half", "c10::Half"])";
  const TrafficRow rows[] = {
      {{"aten::_flash_attention_forward", "[[2, 128, 8, 64], [2, 256, 8, 64], [2, 256, 8, 64]]", three},
       2 * (2 * q + 2 * k),
       2 * (2 * q + 2 * k),
       4 * q * 256},
      {{"aten::_scaled_dot_product_efficient_attention", "[[2, 8, 128, 64], [2, 8, 256, 64], [2, 8, 256, 64]]", three},
       2 * (2 * q + 2 * k),
       2 * (2 * q + 2 * k),
       4 * q * 256},
      {{"aten::_flash_attention_backward", "[[2, 128, 8, 64], [2, 128, 8, 64], [2, 256, 8, 64], [2, 256, 8, 64]]",
        R"(["c10::Half", "c10::Half", "c10::Half", "c10::Half"])"},
       2 * (2 * q + 2 * k + q + 2 * k),
       2 * (2 * q + 2 * k + q + 2 * k),
       10 * q * 256},
      // Packed: how long the sequences are is not recorded.
      {{"aten::_flash_attention_forward", "[[256, 8, 64], [512, 8, 64], [512, 8, 64]]", three},
       2 * (2 * q + 2 * k),
       2 * (2 * q + 2 * k),
       -1},
  };
  expect_traffic(rows);
}

TEST(Traffic, OfListsIsThatOfTheirTensors) {
  constexpr std::string_view lists = R"(["TensorList", "TensorList", ""])",
                             four = R"(["TensorList", "TensorList", "TensorList", "TensorList"])";
  const TrafficRow rows[] = {
      {{"aten::cat", "[[[8, 2], [8, 3]], []]", R"(["TensorList", ""])", "", R"(["", "1"])", "float16"}, 160, 160, 0},
      {{"aten::_foreach_add_", "[[[8], [4]], [[8], [4]], []]", lists, "", "", "float32"}, 4 * 36, 4 * 36, 12},
      {{"aten::_foreach_mul_", "[[[8], [4]], []]", R"(["TensorList", "Scalar"])", "", "", "float32"}, 4 * 24, 4 * 24, 12},
      {{"aten::_foreach_zero_", "[[[8], [4]]]", R"(["TensorList"])", "", "", "float32"}, 4 * 12, 4 * 12, 12},
      {{"aten::_foreach_copy_", "[[[8], [4]], [[8], [4]], []]", lists, "", "", "float32"}, 4 * 24, 4 * 24, 12},
      {{"aten::_foreach_norm", "[[[8], [4]], []]", R"(["TensorList", "Scalar"])", "", "", "float32"}, 4 * 12, 4 * 12, 12},
      // Parameters, gradients and two moments are read; all but the gradients are written.
      {{"aten::_fused_adamw_", "[[[8], [4]], [[8], [4]], [[8], [4]], [[8], [4]]]", four, "", "", "float32"}, 4 * 12 * 7, 4 * 12 * 7, 12},
  };
  expect_traffic(rows);
  EXPECT_FALSE(traffic_of_texts({"aten::_foreach_add_", "[[], [], []]", R"(["TensorList", "TensorList", ""])"}));
}

TEST(Traffic, OfOtherOperatorsIsALowerBoundOrUnknown) {
  const TrafficRow rows[] = {
      {{"aten::topk", "[[8, 4], []]", R"(["float", ""])", "", R"(["", "2"])"}, 128, 128, -1, true},
      {{"triton_poi_fused_add_0", "[[8, 4], [8, 4], []]", R"(["float", "float", "Int"])"}, 256, 512, 8 * 32},
      {{"triton_tem_fused_mm_0", "[[8, 4], [8, 4], []]", R"(["float", "float", "Int"])"}, 256, 512, -1},
      {{"aten::add", "[[8, 4], [8, 4]]", R"(["float", "c10::qint8"])"}, 256, 256, 32, true},  // a type whose size is not known
  };
  expect_traffic(rows);
  EXPECT_FALSE(traffic_of_texts({"vllm::reshape_and_cache", "[[8, 4], [1000, 4]]", two_of_float}));
  EXPECT_FALSE(traffic_of_texts({"aten::topk", "[[], []]", R"(["Scalar", ""])"}));
}

TEST(Traffic, KernelsTellTheTypeOfLists) {
  EXPECT_EQ(
      list_type_of_kernel("void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::OpaqueType<2u>, unsigned int, 3>()"),
      "float16");
  EXPECT_EQ(list_type_of_kernel("void multi_tensor_apply_kernel<TensorListMetadata<2>, BinaryOpScalarFunctor<float, 2, 1, 1>, float>()"),
            "float32");
  EXPECT_EQ(list_type_of_kernel("void multi_tensor_apply_kernel<TensorListMetadata<2>, FusedAdamMathFunctor<c10::BFloat16, 4>>()"),
            "bfloat16");
  EXPECT_EQ(list_type_of_kernel("ncclKernel"), "");
}

// add moves 3 x 32 floats with two kernels of 10 and 30 us; another operator was recorded without shapes.
TEST(Traffic, IsDividedOverTheKernelsOfAnOperatorByTime) {
  Recording program;
  program.op("aten::add", {.sizes = "[[8, 4], [8, 4]]", .types = std::string(two_of_float)}, [&] {
    program.kernel("a", 10);
    program.kernel("b", 30);
    program.kernel("nchwToNhwcKernel", 5);
  });
  program.op("aten::relu", {}, [&] { program.kernel("c", 20); });
  const auto trace = program.trace();
  ASSERT_TRUE(trace);
  const std::uint32_t elsewhere[] = {2};
  WorkTraffic traffic = traffic_of_work(*trace, elsewhere);
  ASSERT_EQ(traffic.bytes.size(), 4u);
  EXPECT_DOUBLE_EQ(traffic.bytes[0], 96);  // a quarter of 384
  EXPECT_DOUBLE_EQ(traffic.bytes[1], 288);
  EXPECT_TRUE(std::isnan(traffic.bytes[2]));
  EXPECT_TRUE(std::isnan(traffic.bytes[3]));
  EXPECT_DOUBLE_EQ(traffic.flops[1], 24);
  TrafficTotals totals = totals_of(*trace, traffic);
  EXPECT_DOUBLE_EQ(totals.bytes_per_step, 384);
  EXPECT_DOUBLE_EQ(*totals.coverage(), 40.0 / 65);
  set_bytes(traffic, 2, 500);
  replace_by_measured(traffic, {{100, std::nan(""), std::nan(""), 50}, {}});
  totals = totals_of(*trace, traffic);
  EXPECT_DOUBLE_EQ(totals.bytes_per_step, 100 + 288 + 500 + 50);
  EXPECT_DOUBLE_EQ(*totals.coverage(), 1);
}

TEST(Traffic, OfCopiesAndFillsOfMemoryIsWhatWasRecorded) {
  const auto work = [](std::string_view category, std::string_view name, int number) {
    return ::frx::testing::event("cuda_runtime", "cudaMemcpyAsync", "1/1", number, 0.5, fmt::format(R"("correlation": {})", number)) +
           ::frx::testing::event(category, name, "0/7", 100 + 10 * number, 5, fmt::format(R"("correlation": {}, "bytes": 1000)", number));
  };
  const std::string text = ::frx::testing::trace_with(work("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 1) +
                                                      work("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 2) + work("kernel", "k", 3));
  const std::unique_ptr<ByteSource> source = open_bytes(text);
  Result<model::Timeline> timeline = ingest::trace::read_trace("t.json", *source, {.all_arguments = true});
  ASSERT_TRUE(timeline);
  const auto trace = LayoutTrace::of(std::move(*timeline));
  ASSERT_TRUE(trace);
  const WorkTraffic traffic = traffic_of_work(**trace);
  ASSERT_EQ(traffic.bytes.size(), 3u);
  EXPECT_EQ(traffic.bytes[0], 2000);  // read and written
  EXPECT_EQ(traffic.bytes[1], 1000);
  EXPECT_TRUE(std::isnan(traffic.bytes[2]));
}

}  // namespace
}  // namespace frx::derive::layout
