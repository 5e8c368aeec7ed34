// Whether an operator may have made a tensor of given sizes. A trace records inputs and no outputs, so that the maker of a tensor is found by
// what operators do with sizes.
#pragma once

#include <string>

#include "derive/layout/layout_trace.h"
#include "derive/layout/strides.h"

namespace frx::derive::layout {

// How the sizes of an output follow from those of the inputs.
enum class OutputSizes : std::uint8_t {
  nothing,   // no output, or nothing is recorded of the inputs
  same,      // those of an input, broadcast: element by element, copies, norms
  permuted,  // those of the first input in another order
  regrouped, // as many elements as the first input: view, reshape
  product,   // rows of one input, columns of another
  image,     // of a convolution or pooling: the batch of the input
  other,     // anything
};
OutputSizes output_sizes(const LayoutTrace& trace, std::uint32_t node);

// False only where it is known not to; an operator of which anything may come (`other`) is not believed to have made it.
bool may_have_made(const LayoutTrace& trace, std::uint32_t node, DimensionsView sizes);

// The last operator before `node` on its thread, within its step and not around it, that may have made a tensor of these sizes; of
// operators within each other the outermost. None: there is none among the `maker_reach` operators before it.
inline constexpr std::uint32_t maker_reach = 512;
std::uint32_t maker_before(const LayoutTrace& trace, std::uint32_t node, DimensionsView sizes);

}  // namespace frx::derive::layout
