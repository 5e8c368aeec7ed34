// What accesses cost, over all warps of a block and over everything about the launch that is unknown.
#pragma once

#include <span>
#include <vector>

#include "derive/ptx/memory_access.h"
#include "derive/warp/cost.h"

namespace frx::derive::ptx {

// The cost, the stride and the fix of each request. Takes time linear in their number.
std::vector<Measured> tally(const ::frx::model::ptx::Function& function, const Addresses& addresses, std::span<const Request> requests,
                            const LaunchFacts& facts);

// The cost of one request, for every unknown multiple of form.align that may be added to all its addresses.
warp::CostRange cost_of(const LaneForm& form, LaneMask active, std::uint32_t bytes, ::frx::model::ptx::Space space);

}  // namespace frx::derive::ptx
