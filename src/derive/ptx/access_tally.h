// What accesses cost, over all warps of a block and over what is not known of the launch.
#pragma once

#include <span>
#include <vector>

#include "derive/ptx/memory_access.h"

namespace frx::derive::ptx {

// Fills in cost, stride and cure of `accesses`, which are those of `addresses`, one by one. `lanes`: whose
// addresses count. Linear in their number.
void tally(const ::frx::model::ptx::Function& function, const Addresses& addresses, std::span<const LaneMask> lanes,
           const LaunchFacts& facts, std::vector<MemoryAccess>& accesses);

// The costs of one request for every unknown multiple of form.align that may be added to all its addresses.
struct RequestRange {
  RequestCost typical, best, worst;
};
RequestRange cost_of(const LaneForm& form, LaneMask active, std::uint32_t bytes, ::frx::model::ptx::Space space);

}  // namespace frx::derive::ptx
