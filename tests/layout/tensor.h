// Tensors of a simulated PyTorch program: sizes, strides and types without data, and what PyTorch makes of the strides.
//
// Nothing here is shared with src/derive/layout, which these programs test. tensor_test.cc holds a table that PyTorch itself computed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frx::testing::layout {

using Extents = std::vector<std::int64_t>;  // sizes, or strides in elements

enum class Scalar : std::uint8_t { f16, bf16, f32, f64, i64, boolean };

std::int64_t bytes_of(Scalar type);
std::string_view trace_name(Scalar type);   // "c10::Half", as in `Input type`
std::string_view kernel_name(Scalar type);  // "c10::Half", as in names of kernels
int type_number(Scalar type);               // 5: of at::ScalarType, as in `Concrete Inputs`

// Memory formats of PyTorch, by their numbers.
enum class Format : std::uint8_t { contiguous = 0, preserve = 1, channels_last = 2 };

struct Tensor {
  Extents sizes;
  Extents strides;
  Scalar type = Scalar::f32;
  int id = 0;  // of the value: views and copies have their own; 0: none yet
  bool is_on_gpu = true;
  bool needs_grad = false;
  bool is_unstable = false;  // its strides, or those of what it was computed from, are not the same in all steps
  bool is_padded = false;    // it is a part of a larger storage

  std::int64_t rank() const { return static_cast<std::int64_t>(sizes.size()); }
};

std::int64_t elements(const Extents& sizes);
std::int64_t elements(const Tensor& tensor);
std::int64_t bytes(const Tensor& tensor);         // of all elements, repeated ones too
std::int64_t unique_bytes(const Tensor& tensor);  // elements that an expanded dimension repeats count once

Extents contiguous_strides(const Extents& sizes);
Extents channels_last_strides(const Extents& sizes);  // of four sizes

bool is_contiguous(const Tensor& tensor);
bool is_channels_last(const Tensor& tensor);
bool is_dense(const Tensor& tensor);     // elements fill their span, each once
bool is_expanded(const Tensor& tensor);  // a stride of 0 over more than one element

// The format that operators take over from a tensor: channels_last if its strides ascend in that order, even with gaps.
Format suggested_format(const Tensor& tensor);

// Views. Dimensions may be negative; sizes of view() may hold one -1.
std::optional<Tensor> viewed(const Tensor& tensor, const Extents& sizes);  // none: the strides do not allow it
Tensor transposed(const Tensor& tensor, std::int64_t one, std::int64_t other);
Tensor permuted(const Tensor& tensor, const Extents& order);
Tensor expanded(const Tensor& tensor, const Extents& sizes);  // -1: as it is
Tensor selected(const Tensor& tensor, std::int64_t dimension);
Tensor sliced(const Tensor& tensor, std::int64_t dimension, std::int64_t begin, std::int64_t end, std::int64_t step = 1);
Tensor unsqueezed(const Tensor& tensor, std::int64_t dimension);
Tensor squeezed(const Tensor& tensor, std::int64_t dimension);

Extents resolved(const Extents& sizes, std::int64_t count);  // one -1 becomes what is left of `count` elements

// A new tensor of the same sizes; preserve: dense, with dimensions in the order of the strides of `like`.
Tensor empty_like(const Tensor& like, Scalar type, Format format);

// What an elementwise operator writes: sizes after broadcasting, strides as TensorIterator chooses them.
Tensor elementwise_result(std::span<const Tensor> operands, Scalar type);

// Whether TensorIterator walks through all of them as through one run of memory, for which kernels need no index calculation.
bool is_one_run(std::span<const Tensor> tensors);

}  // namespace frx::testing::layout
