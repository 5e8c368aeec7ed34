// Barriers of the block that order nothing, by what stands between them and their neighbours.
#pragma once

#include <vector>

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

// Barriers behind the last access of the kernel, which all its threads come to.
std::vector<NodeRef> trailing_barriers(const KernelView& view);

// Barriers of which the accesses before and those behind, up to the neighbouring barriers, touch different memory; neighbours of each other
// are not both among them.
std::vector<NodeRef> disjoint_barriers(const KernelView& view);

}  // namespace frx::derive::cuda
