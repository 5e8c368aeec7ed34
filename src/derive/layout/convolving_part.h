// Parts of the conversion graph without a convolution (weights of an optimizer, attention) are left out.
#pragma once

#include "derive/layout/conversion_graph.h"

namespace frx::derive::layout {

// O(n log n) in the operators and tensors.
void keep_what_convolves(const LayoutTrace& trace, LayoutGraph& graph);

}  // namespace frx::derive::layout
