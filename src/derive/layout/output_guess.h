// Whether an operator may have made a tensor of given sizes: a trace records inputs and no outputs, nor which tensor is which.
#pragma once

#include "derive/layout/layout_trace.h"
#include "derive/layout/strides.h"

namespace frx::derive::layout {

// How the sizes of the first output follow from the inputs.
struct OutputGuess {
  enum class Kind : std::uint8_t {
    nothing,    // no output, or nothing is recorded of the inputs
    known,      // `sizes`
    permuted,   // those of `sizes` in another order
    regrouped,  // as many elements as `sizes`
    other,      // anything; `sizes` are those of the first input
  };
  Kind kind = Kind::nothing;
  Dimensions sizes;
};
OutputGuess guess_output(const LayoutTrace& trace, std::uint32_t node);

// False also for an operator of which anything may come.
bool may_be(const OutputGuess& guess, DimensionsView sizes);

// The last operator before `node` on its thread, within its step and not around it, that may have made a tensor of these sizes; of
// operators within each other the outermost. None: there is none among the `maker_reach` operators before it.
inline constexpr std::uint32_t maker_reach = 512;
std::uint32_t maker_before(const LayoutTrace& trace, std::uint32_t node, DimensionsView sizes);

}  // namespace frx::derive::layout
