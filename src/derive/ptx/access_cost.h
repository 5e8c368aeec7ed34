// What the addresses of a warp cost: sectors of global memory, passes through the banks of shared memory.
#pragma once

#include <array>
#include <cstdint>

#include "derive/ptx/access_lanes.h"

namespace frx::derive::ptx {

struct RequestCost {
  std::uint32_t needed = 0;  // sectors, or wavefronts
  std::uint32_t ideal = 0;   // if the bytes lay side by side; free of bank conflicts
  friend bool operator==(const RequestCost&, const RequestCost&) = default;
};

using LaneAddresses = std::array<std::int64_t, warp_size>;

// Distinct sectors of 32 bytes that the active lanes touch; ideal: what their distinct bytes would fill.
RequestCost sectors(const LaneAddresses& addresses, LaneMask active, std::uint32_t bytes);

// Lanes of 4 bytes and less are served together, of 8 by halves, of 16 by quarters of a warp. Each group
// takes as many wavefronts as there are distinct words of 4 bytes in its fullest one of 32 banks.
RequestCost wavefronts(const LaneAddresses& addresses, LaneMask active, std::uint32_t bytes);

// The same as sectors for local memory, where each word of 4 bytes lies side by side for the 32 lanes.
RequestCost local_sectors(const LaneAddresses& addresses, LaneMask active, std::uint32_t bytes);

}  // namespace frx::derive::ptx
