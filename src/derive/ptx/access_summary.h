// The memory accesses of a kernel in short: how many of which kind, and the costly ones.
//
// PTX often does not say which block a kernel is launched with. Then every plausible shape is tried, and an access counts as
// costly when it is costly in all of them; an access that depends on the shape is marked. Costly means is_wasteful() in global
// memory, and four times the wavefronts in shared memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "derive/ptx/memory_access.h"

namespace frx::derive::ptx {

inline constexpr std::size_t access_kind_count = static_cast<std::size_t>(AccessKind::unknown) + 1;

struct CostlyAccess {
  MemoryAccess access;  // for the first shape in which it is costly
  BlockShape block;
  bool in_all_shapes = true;
  // With other instructions of the kernel it uses more than half of the sectors: each thread visits consecutive elements, or reads most
  // members of a structure. The kernel wastes requests then, not bytes.
  bool neighbours_use_rest = false;
};

struct AccessSummary {
  std::array<std::uint64_t, access_kind_count> global{}, shared{};  // by AccessKind
  std::vector<BlockShape> shapes;                                   // that were tried; a single one when the code requires it
  // The costly ones, those in the deepest loops first; at most `limit` of each.
  std::vector<CostlyAccess> uncoalesced, conflicting;
  // Numbers of accesses that are costly in all shapes. `blocked_count` counts those whose neighbours use the rest of the
  // sectors; `uncoalesced_count` does not include them.
  std::uint64_t uncoalesced_count = 0, blocked_count = 0, conflicting_count = 0;
  static constexpr std::size_t limit = 16;
};

AccessSummary summary_of(const MemoryAnalysis& analysis);

}  // namespace frx::derive::ptx
