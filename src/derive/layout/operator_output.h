// The tensor that an operator makes, from its inputs: traces record inputs alone.
//
// Sizes of products, convolutions, pools, norms, reductions and the like follow from the sizes of the inputs and the values beside them
// (strides, paddings, dimensions). Where a value that is needed was not recorded there is no answer.
#pragma once

#include <optional>
#include <string_view>

#include "derive/layout/layout_trace.h"
#include "derive/layout/strides.h"

namespace frx::derive::layout {

// How an operator moves its tensors.
enum class OperatorFamily : std::uint8_t {
  unknown,
  elementwise,  // each element of the result from those at the same place, after broadcasting
  filling,      // writes without reading
  copying,
  normalisation,
  softmax,
  reduction,
  scan,  // cumsum: as many results as elements
  pooling,
  resampling,
  gradient_of_input,  // of pools and the like: the result has the sizes of the second input
  embedding,
  embedding_gradient,
  gathering,   // reads only the elements that indices name
  scattering,  // writes only those
  gemm,
  convolution,
  convolution_gradient,
  attention,
  attention_gradient,
  concatenation,
  list,      // one kernel for lists of tensors: _foreach_add_, _fused_adamw_
  compiled,  // a kernel of Triton, with every tensor among its arguments
};
std::string_view name_of(OperatorFamily family);
OperatorFamily family_of(std::string_view operator_name);

struct OperatorOutput {
  Dimensions sizes;
  std::string_view type;  // of torch; "": not known
};

// The first tensor of the result; its further ones (indices of a maximum, statistics of a norm) follow the inputs. Nothing where it is not
// known: it is no tensor, or something that decides its sizes was not recorded.
std::optional<OperatorOutput> output_of(std::string_view operator_name, const RecordedInputs& inputs);

// The sizes of elementwise work on all tensors among the inputs; nothing where they do not fit.
std::optional<Dimensions> broadcast_sizes(const RecordedInputs& inputs);

}  // namespace frx::derive::layout
