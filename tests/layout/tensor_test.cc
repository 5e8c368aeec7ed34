// The strides of the simulated tensors are those of PyTorch: torch_strides.txt holds what it computed.
#include "layout/tensor.h"

#include <gtest/gtest.h>

#include <charconv>
#include <map>

#include "base/files.h"
#include "base/text.h"

namespace frx::testing::layout {
namespace {

Extents extents_in(std::string_view text) {
  Extents result;
  if (text == "-") return result;
  for (const std::string_view part : split(text, ',')) {
    std::int64_t value = 0;
    std::from_chars(part.data(), part.data() + part.size(), value);
    result.push_back(value);
  }
  return result;
}

Tensor tensor_in(std::string_view text) {
  const std::size_t slash = text.find('/');
  return {.sizes = extents_in(text.substr(0, slash)), .strides = extents_in(text.substr(slash + 1))};
}

// What the simulator makes of a row without its last column.
Tensor result_of(std::string_view operation, const std::vector<Tensor>& tensors, const Extents& numbers) {
  const Tensor& x = tensors.front();
  if (operation == "view") return viewed(x, numbers).value_or(Tensor{.sizes = {-1}, .strides = {}});
  if (operation == "transpose") return transposed(x, numbers[0], numbers[1]);
  if (operation == "permute") return permuted(x, numbers);
  if (operation == "select") return selected(x, numbers[0]);
  if (operation == "slice") return sliced(x, numbers[0], numbers[1], numbers[2], numbers[3]);
  if (operation == "unsqueeze") return unsqueezed(x, numbers[0]);
  if (operation == "squeeze") return squeezed(x, numbers[0]);
  if (operation == "expand") return expanded(x, numbers);
  if (operation == "clone") return empty_like(x, x.type, Format::contiguous);
  if (operation == "preserve") return empty_like(x, x.type, Format::preserve);
  if (operation == "formats") return empty_like(x, x.type, suggested_format(x));
  if (operation == "add") return elementwise_result(tensors, x.type);
  return {};
}

TEST(TorchStrides, AreThoseOfPyTorch) {
  std::map<std::string_view, int> rows;
  const std::string table = read_file(FRX_REPOSITORY "/tests/layout/torch_strides.txt").value();
  for (const std::string_view line : split(table, '\n')) {
    const auto columns = split(line, ' ');
    if (columns.size() != 4 || line.starts_with('#')) continue;
    std::vector<Tensor> tensors;
    for (const std::string_view one : split(columns[1], ';')) tensors.push_back(tensor_in(one));
    if (columns[0] == "convolution") continue;
    ++rows[columns[0]];
    const Tensor result = result_of(columns[0], tensors, extents_in(columns[2]));
    const Tensor expected = columns[3] == "none" ? Tensor{.sizes = {-1}, .strides = {}} : tensor_in(columns[3]);
    EXPECT_EQ(result.sizes, expected.sizes) << line;
    EXPECT_EQ(result.strides, expected.strides) << line;
    if (columns[0] != "formats") continue;
    EXPECT_EQ((Extents{is_contiguous(tensors[0]), is_channels_last(tensors[0])}), extents_in(columns[2])) << line;
  }
  EXPECT_GE(rows.size(), 12U);
  EXPECT_GE(rows["view"], 300);
  EXPECT_GE(rows["add"], 100);
}

TEST(TorchStrides, CountsBytesOfExpandedTensorsOnce) {
  const Tensor row = {.sizes = {1, 64}, .strides = {64, 1}, .type = Scalar::f16};
  const Tensor many = expanded(row, {100, 64});
  EXPECT_EQ(bytes(many), 12800);
  EXPECT_EQ(unique_bytes(many), 128);
  EXPECT_TRUE(is_expanded(many));
  EXPECT_FALSE(is_dense(many));
}

// Kernels that need no index calculation, and copies that are one cudaMemcpy, are those where this holds.
TEST(TorchStrides, KnowsOneRunOfMemory) {
  const Tensor x = {.sizes = {8, 6}, .strides = {6, 1}};
  EXPECT_TRUE(is_one_run(std::array{x, x}));
  EXPECT_TRUE(is_one_run(std::array{transposed(x, 0, 1), transposed(x, 0, 1)}));  // both in the same order
  EXPECT_FALSE(is_one_run(std::array{x, Tensor{.sizes = {8, 6}, .strides = {1, 8}}}));
  EXPECT_FALSE(is_one_run(std::array{x, Tensor{.sizes = {8, 6}, .strides = {12, 1}}}));  // gaps
  EXPECT_FALSE(is_one_run(std::array{x, Tensor{.sizes = {6}, .strides = {1}}}));         // broadcast
}

}  // namespace
}  // namespace frx::testing::layout
