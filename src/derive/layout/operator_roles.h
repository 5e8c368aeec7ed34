// What an operator of PyTorch does with memory, by its name.
#pragma once

#include <cstdint>
#include <string_view>

namespace frx::derive::layout {

enum class OperatorRole : std::uint8_t {
  other,
  view,           // changes sizes and strides, moves nothing: permute, transpose, view, expand, slice, ...
  copy,           // may copy: contiguous, clone, copy_, to, _to_copy, reshape, flatten, repeat
  gemm,           // a product of matrices
  convolution,    // forward or backward
  attention,      // of the family of scaled_dot_product_attention
  normalisation,  // layer, group, batch norm
  softmax,
  pooling,
  elementwise,
  reduction,
  embedding,
  concatenation,  // cat, stack
  autograd,       // a node of the graph of gradients, around operators
  compiled,       // a region that torch.compile made
  collective,
  custom,      // of another namespace than those of PyTorch
  allocation,  // empty, empty_strided, as_strided, ...: neither view in a program nor work
};

OperatorRole role_of(std::string_view name);
// Whether it computes on tensors whose layout its kernels care for: products, convolutions, attention, norms, softmax.
constexpr bool is_hot(OperatorRole role) {
  return role == OperatorRole::gemm || role == OperatorRole::convolution || role == OperatorRole::attention ||
         role == OperatorRole::normalisation || role == OperatorRole::softmax;
}
// "contiguous" of "aten::contiguous"; the whole name of an operator of another namespace.
std::string_view plain_name(std::string_view name);

}  // namespace frx::derive::layout
