// One memory request of a warp: where its lanes point, and what they touch.
//
//   32 lanes of 4 bytes side by side, from a multiple of 32 bytes on     4 sectors of 32 bytes, 4 at best
//   the same, from 16 bytes behind one on                                5 sectors, 4 at best
//   32 lanes of 4 bytes, 32 bytes or more apart                         32 sectors, 4 at best
//
// Nothing here knows PTX or CUDA: each engine computes addresses in its own manner, and calls this code for their cost.
// Sources: NVIDIA, CUDA C++ Programming Guide, "Device Memory Accesses" and "Compute Capabilities"; Nsight Compute documentation,
// "Memory Tables".
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>

namespace frx::derive::warp {

inline constexpr std::uint32_t lane_count = 32;
inline constexpr std::uint32_t sector_bytes = 32;
inline constexpr std::uint32_t word_bytes = 4;   // of a bank of shared memory, and of what local memory interleaves
inline constexpr std::uint32_t most_bytes = 64;  // of one lane

using LaneMask = std::uint32_t;                              // bit i: lane i
using LaneAddresses = std::array<std::int64_t, lane_count>;  // bytes, by lane

inline constexpr LaneMask all_lanes = ~LaneMask{0};

struct Request {
  LaneAddresses addresses{};  // lanes that are not active have any
  LaneMask active = all_lanes;
  std::uint32_t bytes = 4;  // of one lane: 1 to most_bytes

  bool is_active(std::uint32_t lane) const { return (active >> lane & 1) != 0; }
};

// What requests touch; each byte, each sector and each address counts once.
struct Footprint {
  std::uint64_t sectors = 0, bytes = 0, addresses = 0;
  // If the same bytes lay side by side, from the beginning of a sector on.
  std::uint64_t ideal_sectors() const { return (bytes + sector_bytes - 1) / sector_bytes; }
  friend bool operator==(const Footprint&, const Footprint&) = default;
};

// Of one request to global memory.
Footprint footprint(const Request& request);

// Of several requests together.
struct ByteRange {
  std::int64_t first = 0, end = 0;  // the end is one behind the last byte
  friend auto operator<=>(const ByteRange&, const ByteRange&) = default;
};
Footprint footprint(std::span<ByteRange> ranges);  // sorts them

// Of one request to local memory, where the words that lanes have at one address lie side by side. Each lane has bytes of its own.
Footprint local_footprint(const Request& request);

// How far apart the active lanes are.
struct Spacing {
  bool is_uniform = true;              // they have one address
  bool is_even = true;                 // neighbours, where both are active, are all equally far apart
  std::optional<std::int64_t> stride;  // bytes from a lane to the next one; nothing without neighbours or when it varies
  friend bool operator==(const Spacing&, const Spacing&) = default;
};
Spacing spacing(const Request& request);

// How many of the addresses differ. Sorts them.
std::uint32_t distinct_count(std::span<std::int64_t> addresses);

// The same lanes ask for the same places, a multiple of 128 bytes further on: this costs the same in any memory.
bool is_displaced(const Request& request, const Request& from);

}  // namespace frx::derive::warp
