// Chains of views: operators that give a tensor other sizes and strides, one after the other, with no work between them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "derive/layout/layout_trace.h"
#include "derive/layout/strides.h"

namespace frx::derive::layout {

struct ViewChain {
  std::vector<std::uint32_t> views;  // nodes, in their order
  std::uint32_t copy = none;         // the operator that copies the result: the next one on the thread; none
  std::uint32_t consumer = none;     // the next operator that is neither view nor copy; none
  std::size_t permutations = 0;      // views that change the order of dimensions
  std::optional<Permutation>
      composed;  // of all of them; absent where views between them change the dimensions, or values were not recorded
  double cpu_ns = 0;
};

// Of steady steps, in the order of nodes. Two views are of one chain where the second may be of the result of the first, as far as the
// recorded sizes tell. Linear in the nodes.
std::vector<ViewChain> view_chains(const LayoutTrace& trace);

// Does the view change the order of dimensions?
bool is_permutation(std::string_view plain_name);
// Of a view that does, from its recorded values; t() and mT() need none.
std::optional<Permutation> permutation_by(const LayoutTrace& trace, std::uint32_t node);
// The sizes of the result of a view; nothing where they do not follow from what was recorded.
std::optional<Dimensions> result_sizes(const LayoutTrace& trace, std::uint32_t node);

}  // namespace frx::derive::layout
