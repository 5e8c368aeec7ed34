// What a request costs in the memory it goes to, also where it is not known from where on its addresses are counted.
#pragma once

#include "derive/warp/request.h"

namespace frx::derive::warp {

enum class Memory : std::uint8_t { global, local, shared };

// Sectors of global and local memory, wavefronts of shared memory.
struct Cost {
  std::uint32_t needed = 0;
  std::uint32_t ideal = 0;  // if the bytes lay side by side; without bank conflicts
  friend bool operator==(const Cost&, const Cost&) = default;
};

Cost cost(const Request& request, Memory memory);

// Every address may be further on by one unknown multiple of a power of two, the same for all lanes.
struct CostRange {
  Cost typical;  // when nothing is added, or as little as aligns the lanes to what they access
  Cost best, worst;
};
// `align`: 1, 2, 4 ...; from 32 on nothing can differ. Addresses that are not aligned to what is accessed do not occur.
CostRange cost_range(const Request& request, Memory memory, std::uint32_t align);

}  // namespace frx::derive::warp
