// The memory accesses of a kernel in short: how many of which kind, and the costly ones.
//
// The block of a launch is often not known from PTX. Then every plausible shape is tried, and an access is
// costly when it is so in all of them; what depends on the shape says so. Costly is twice the sectors that the
// bytes fill, or four times the wavefronts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "derive/ptx/memory_access.h"

namespace frx::derive::ptx {

inline constexpr std::size_t access_kind_count = static_cast<std::size_t>(AccessKind::unknown) + 1;

struct CostlyAccess {
  MemoryAccess access;                // for the first shape in which it is costly
  BlockShape block;
  bool in_all_shapes = true;
  // Other instructions of the kernel use up what this one leaves of its sectors: each thread walks through
  // consecutive elements, or reads every member of a structure. The waste is in requests, not in bytes.
  bool neighbours_use_rest = false;
};

struct AccessSummary {
  std::array<std::uint64_t, access_kind_count> global{}, shared{};  // by AccessKind
  std::vector<BlockShape> shapes;     // that were tried; one when the code demands it
  // The costly ones, those in the deepest loops first; at most `limit` of each.
  std::vector<CostlyAccess> uncoalesced, conflicting;
  // In all shapes; `blocked_count` of those whose neighbours use the rest of the sectors, apart from the others.
  std::uint64_t uncoalesced_count = 0, blocked_count = 0, conflicting_count = 0;
  static constexpr std::size_t limit = 16;
};

AccessSummary summary_of(const MemoryAnalysis& analysis);

}  // namespace frx::derive::ptx
