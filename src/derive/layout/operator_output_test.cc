#include "derive/layout/operator_output.h"

#include <gtest/gtest.h>

#include "derive/layout/recorded_values.h"

namespace frx::derive::layout {
namespace {

struct OutputRow {
  std::string_view name, shapes, types, values, expected;
};

std::string output_text(const OutputRow& row) {
  const std::optional<RecordedInputs> inputs = trace::recorded_inputs({row.shapes, row.types, "", row.values});
  const std::optional<OperatorOutput> output = inputs ? output_of(row.name, *inputs) : std::nullopt;
  return output ? text_of(output->sizes) + " " + std::string(output->type) : "unknown";
}

constexpr std::string_view single_float = R"(["float"])", pair_of_floats = R"(["float", "float"])";

void expect_outputs(std::span<const OutputRow> rows) {
  for (const OutputRow& row : rows) {
    EXPECT_EQ(output_text(row), row.expected) << row.name << " of " << row.shapes;
  }
}

// What PyTorch returns for these inputs.
TEST(OperatorOutput, IsWhatPyTorchReturns) {
  const OutputRow rows[] = {
      {"aten::add", "[[8, 1, 4], [3, 1]]", pair_of_floats, "", "[8, 3, 4] float32"},
      {"aten::add", "[[8, 4], []]", R"(["c10::Half", "double"])", "", "[8, 4] float16"},  // a number does not decide the type
      {"aten::mul", "[[8, 4], [4]]", R"(["c10::Half", "float"])", "", "[8, 4] float32"},
      {"aten::add", "[[8, 3], [4]]", pair_of_floats, "", "unknown"},
      {"aten::add_", "[[8, 4], [1]]", pair_of_floats, "", "[8, 4] float32"},
      {"aten::eq", "[[8, 4], [4]]", pair_of_floats, "", "[8, 4] bool"},
      {"aten::mm", "[[2, 3], [3, 5]]", pair_of_floats, "", "[2, 5] float32"},
      {"aten::mm", "[[2, 3], [4, 5]]", pair_of_floats, "", "unknown"},
      {"aten::addmm", "[[5], [2, 3], [3, 5]]", R"(["float", "c10::Half", "c10::Half"])", "", "[2, 5] float16"},
      {"aten::bmm", "[[7, 2, 3], [7, 3, 5]]", pair_of_floats, "", "[7, 2, 5] float32"},
      {"aten::baddbmm", "[[7, 2, 5], [7, 2, 3], [7, 3, 5]]", R"(["float", "float", "float"])", "", "[7, 2, 5] float32"},
      {"aten::matmul", "[[6, 1, 2, 3], [7, 3, 5]]", pair_of_floats, "", "[6, 7, 2, 5] float32"},
      {"aten::matmul", "[[3], [7, 3, 5]]", pair_of_floats, "", "[7, 5] float32"},
      {"aten::mv", "[[2, 3], [3]]", pair_of_floats, "", "[2] float32"},
      {"aten::linear", "[[7, 2, 3], [5, 3], [5]]", R"(["float", "float", "float"])", "", "[7, 2, 5] float32"},
      {"aten::_scaled_mm", "[[2, 3], [3, 5]]", R"(["c10::Float8_e4m3fn", "c10::Float8_e4m3fn"])", "", "[2, 5] bfloat16"},
  };
  expect_outputs(rows);
}

TEST(OperatorOutput, OfConvolutionsAndPoolsFollowsTheirSettings) {
  const OutputRow rows[] = {
      // AlexNet's first layer: (224 + 2 * 2 - 11) / 4 + 1 = 55.
      {"aten::conv2d", "[[8, 3, 224, 224], [64, 3, 11, 11], [], [], [], [], []]", R"(["float", "float", "", "", "", "", ""])",
       R"(["", "", "", "[4, 4]", "[2, 2]", "[1, 1]", "1"])", "[8, 64, 55, 55] float32"},
      {"aten::cudnn_convolution", "[[8, 3, 224, 224], [64, 3, 11, 11], [], [], [], []]", R"(["float", "float", "", "", "", ""])",
       R"(["", "", "[2, 2]", "[4, 4]", "[1, 1]", "1"])", "[8, 64, 55, 55] float32"},
      // Dilated by 2, a 3 x 3 window reaches over 5: 32 - 5 + 1 = 28.
      {"aten::_convolution", "[[8, 3, 32, 32], [64, 3, 3, 3], [], [], [], [], [], [], []]",
       R"(["float", "float", "", "", "", "", "", "", ""])", R"(["", "", "", "[1]", "[0]", "[2]", "False", "[0, 0]", "1"])",
       "[8, 64, 28, 28] float32"},
      // Transposed, in 4 groups: (16 - 1) * 2 - 2 + (4 - 1) + 1 + 1 = 33; 4 * 8 channels.
      {"aten::convolution", "[[8, 64, 16, 16], [64, 8, 4, 4], [], [], [], [], [], [], []]",
       R"(["float", "float", "", "", "", "", "", "", ""])", R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "True", "[1, 1]", "4"])",
       "[8, 32, 33, 33] float32"},
      {"aten::conv2d", "[[8, 3, 2, 2], [64, 3, 3, 3], [], [], [], [], []]", R"(["float", "float", "", "", "", "", ""])",
       R"(["", "", "", "[1]", "[0]", "[1]", "1"])", "unknown"},  // the window is larger than the picture
      // Of 55: (55 - 3) / 2 + 1 = 27; of 56 with ceil_mode (56 - 3) / 2 = 26.5 -> 27, + 1 = 28.
      {"aten::max_pool2d_with_indices", "[[8, 64, 55, 55], [], [], [], [], []]", R"(["float", "", "", "", "", ""])",
       R"(["", "[3, 3]", "[2, 2]", "[0, 0]", "[1, 1]", "False"])", "[8, 64, 27, 27] float32"},
      {"aten::max_pool2d_with_indices", "[[8, 64, 56, 56], [], [], [], [], []]", R"(["float", "", "", "", "", ""])",
       R"(["", "[3, 3]", "[2, 2]", "[0, 0]", "[1, 1]", "True"])", "[8, 64, 28, 28] float32"},
      {"aten::avg_pool2d", "[[8, 64, 56, 56], [], [], [], [], [], []]", R"(["float", "", "", "", "", "", ""])",
       R"(["", "[2, 2]", "[]", "[0, 0]", "False", "True", ""])", "[8, 64, 28, 28] float32"},
      {"aten::_adaptive_avg_pool2d", "[[8, 64, 13, 13], []]", R"(["float", ""])", R"(["", "[6, 6]"])", "[8, 64, 6, 6] float32"},
      {"aten::upsample_nearest2d", "[[8, 64, 13, 13], [], [], []]", R"(["float", "", "", ""])", R"(["", "[26, 26]", "2.0", "2.0"])",
       "[8, 64, 26, 26] float32"},
  };
  expect_outputs(rows);
}

TEST(OperatorOutput, OfReductionsIndicesAndListsFollowsTheirDimensions) {
  const OutputRow rows[] = {
      {"aten::sum", "[[8, 4, 2], [], [], []]", R"(["float", "", "", ""])", R"(["", "[0, -1]", "False", ""])", "[4] float32"},
      {"aten::mean", "[[8, 4, 2], [], [], []]", R"(["float", "", "", ""])", R"(["", "[1]", "True", ""])", "[8, 1, 2] float32"},
      {"aten::sum", "[[8, 4, 2], []]", R"(["float", ""])", R"(["", ""])", "[] float32"},
      {"aten::sum", "[[8, 4, 2], [], [], []]", R"(["float", "", "", ""])", "", "unknown"},  // dimensions were not recorded
      {"aten::sum", "[[8, 4, 2], [], [], []]", R"(["float", "", "", ""])", R"(["", "[3]", "False", ""])", "unknown"},
      {"aten::argmax", "[[8, 4], [], []]", R"(["float", "", ""])", R"(["", "1", "False"])", "[8] int64"},
      {"aten::max", "[[8, 4], [4]]", pair_of_floats, R"(["", ""])", "[8, 4] float32"},  // of two tensors
      {"aten::var_mean", "[[8, 4], [], [], []]", R"(["float", "", "", ""])", R"(["", "[1]", "0", "True"])", "[8, 1] float32"},
      {"aten::linalg_vector_norm", "[[8, 4], [], [], [], []]", R"(["float", "", "", "", ""])", R"(["", "2.0", "[1]", "False", ""])",
       "[8] float32"},
      {"aten::embedding", "[[1000, 64], [8, 16]]", R"(["float", "long int"])", "", "[8, 16, 64] float32"},
      {"aten::index_select", "[[1000, 64], [], [16]]", R"(["float", "", "long int"])", R"(["", "0", ""])", "[16, 64] float32"},
      {"aten::gather", "[[8, 64], [], [8, 2]]", R"(["float", "", "long int"])", R"(["", "1", ""])", "[8, 2] float32"},
      {"aten::cat", "[[[8, 2, 4], [8, 3, 4]], []]", R"(["GenericList[Tensor(float),Tensor(float)]", ""])", R"(["", "-2"])",
       "[8, 5, 4] float32"},
      {"aten::stack", "[[[8, 4], [8, 4], [8, 4]], []]", R"(["GenericList[Tensor(float),Tensor(float),Tensor(float)]", ""])", R"(["", "1"])",
       "[8, 3, 4] float32"},
      {"aten::_softmax", "[[8, 4], [], []]", R"(["c10::Half", "", ""])", R"(["", "1", "True"])", "[8, 4] float32"},
      {"aten::_softmax_backward_data", "[[8, 4], [8, 4], [], []]", R"(["c10::Half", "c10::Half", "", ""])", R"(["", "", "1", "5"])",
       "[8, 4] float16"},
      {"aten::_flash_attention_forward", "[[2, 128, 8, 64], [2, 256, 8, 64], [2, 256, 8, 32]]",
       R"(["c10::Half", "c10::Half", "c10::Half"])", "", "[2, 128, 8, 32] float16"},
      {"aten::repeat", "[[2, 3], []]", R"(["float", ""])", R"(["", "[4, 1, 2]"])", "[4, 2, 6] float32"},
      {"aten::topk", "[[8, 4], []]", R"(["float", ""])", R"(["", "2"])", "unknown"},
      {"mine::op", "[[8, 4]]", single_float, "", "unknown"},
  };
  expect_outputs(rows);
}

TEST(OperatorOutput, HugeNumbersGiveNoAnswer) {
  const OutputRow rows[] = {
      {"aten::convolution", "[[8, 64, 16, 16], [64, 9223372036854775807, 4, 4], [], [], [], [], [], [], []]",
       R"(["float", "float", "", "", "", "", "", "", ""])", R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "True", "[1, 1]", "4"])",
       "unknown"},
      {"aten::conv2d", "[[8, 3, 32, 32], [64, 3, 3, 3], [], [], [], [], []]", R"(["float", "float", "", "", "", "", ""])",
       R"(["", "", "", "[0]", "[0]", "[1]", "1"])", "unknown"},
      {"aten::conv2d", "[[8, 3, 32, 32], [64, 3, 3, 3], [], [], [], [], []]", R"(["float", "float", "", "", "", "", ""])",
       R"(["", "", "", "[1]", "[9223372036854775807]", "[1]", "1"])", "unknown"},
      {"aten::_adaptive_avg_pool2d", "[[8, 64, 13, 13], []]", R"(["float", ""])", R"(["", "[-6, 6]"])", "unknown"},
      {"aten::repeat", "[[9223372036854775807, 3], []]", R"(["float", ""])", R"(["", "[4, 1]"])", "unknown"},
  };
  expect_outputs(rows);
}

TEST(OperatorOutput, FamiliesGoByName) {
  EXPECT_EQ(family_of("aten::add_"), OperatorFamily::elementwise);
  EXPECT_EQ(family_of("aten::copy_"), OperatorFamily::copying);
  EXPECT_EQ(family_of("aten::zero_"), OperatorFamily::filling);
  EXPECT_EQ(family_of("aten::convolution_backward"), OperatorFamily::convolution_gradient);
  EXPECT_EQ(family_of("aten::max_pool2d_with_indices_backward"), OperatorFamily::gradient_of_input);
  EXPECT_EQ(family_of("aten::_flash_attention_backward"), OperatorFamily::attention_gradient);
  EXPECT_EQ(family_of("aten::_foreach_add_"), OperatorFamily::list);
  EXPECT_EQ(family_of("aten::_fused_adamw_"), OperatorFamily::list);
  EXPECT_EQ(family_of("triton_poi_fused_add_0"), OperatorFamily::compiled);
  EXPECT_EQ(family_of("flash_attn::_flash_attn_forward"), OperatorFamily::attention);
  EXPECT_EQ(family_of("mine::add"), OperatorFamily::unknown);
  EXPECT_EQ(name_of(OperatorFamily::compiled), "compiled");
}

TEST(RecordedValues, AreNumbersListsAndTruths) {
  const auto inputs =
      trace::recorded_inputs({"[[], [], [], [], []]", R"(["", "", "", "", ""])", "", R"(["3", "[1, -2]", "True", "[2]", ""])"});
  ASSERT_TRUE(inputs);
  EXPECT_EQ(integer_at(*inputs, 0), 3);
  EXPECT_EQ(integers_at(*inputs, 1), (Dimensions{1, -2}));
  EXPECT_EQ(integers_at(*inputs, 0), Dimensions{3});
  EXPECT_EQ(truth_at(*inputs, 2), true);
  EXPECT_EQ(truth_at(*inputs, 0), std::nullopt);
  EXPECT_EQ(integers_of_each(*inputs, 3, 2), (Dimensions{2, 2}));
  EXPECT_EQ(integers_of_each(*inputs, 1, 3), std::nullopt);
  EXPECT_TRUE(is_absent(*inputs, 4));
  EXPECT_TRUE(is_absent(*inputs, 9));
  EXPECT_EQ(resolved_dimension(-1, 3), 2u);
  EXPECT_EQ(resolved_dimension(-4, 3), std::nullopt);
}

}  // namespace
}  // namespace frx::derive::layout
