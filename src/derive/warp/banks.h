// How often shared memory has to be asked until all lanes of a request are served.
//
//   32 lanes of 4 bytes side by side, or all at one address       1 wavefront
//   32 lanes of 4 bytes, 128 bytes apart (a column of 32 floats) 32 wavefronts, a conflict of 32 ways
//   the same with a row of 33 floats                              1 wavefront
//
// There are 32 banks; neighbouring words of 4 bytes lie in neighbouring banks. 128 bytes are served at once: all lanes of a warp for
// up to 4 bytes each, half of them for 8, a quarter for 16. Of those that are served together, lanes that ask for the same word share
// it; every further word that a bank is asked for takes a wavefront more.
// Sources: as in derive/warp/request.h, section "Shared Memory".
#pragma once

#include "derive/warp/request.h"

namespace frx::derive::warp {

inline constexpr std::uint32_t bank_count = 32;

struct BankUse {
  std::uint32_t wavefronts = 0;
  std::uint32_t ideal = 0;  // wavefronts without any conflict
  std::uint32_t ways = 0;   // words that the bank in most demand is asked for at once: 1 without conflicts, 0 without active lanes
  friend bool operator==(const BankUse&, const BankUse&) = default;
};

BankUse bank_use(const Request& request);

}  // namespace frx::derive::warp
