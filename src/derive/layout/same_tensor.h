// Which copies within a step are of one tensor that did not change between them, where an execution trace tells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/layout/copies.h"
#include "derive/layout/tensor_identities.h"

namespace frx::derive::layout {

struct SameTensor {
  static constexpr std::uint32_t unknown = none;

  // By copy: equal for copies of one tensor into one layout; `unknown` where the execution trace does not have the call.
  std::vector<std::uint32_t> tensor;
  std::vector<bool> is_first;         // by copy: of its tensor
  std::vector<std::uint32_t> copies;  // by tensor
  bool is_known(std::uint32_t copy) const { return copy < tensor.size() && tensor[copy] != unknown; }
};

// Of eager copies of layout. `identities` may be null: nothing is known then. n log n in the copies.
SameTensor copies_of_same_tensor(const LayoutTrace& trace, std::span<const Copy> copies, const TensorIdentities* identities);

}  // namespace frx::derive::layout
