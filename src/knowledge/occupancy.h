// How many blocks of a kernel fit on one SM, which resources limit them, and which changes would allow more.
//
// The rules are those of the hardware, not of an area model: registers are allocated to warps in units and each quarter of the SM has its
// own register file, shared memory is allocated in units, and from compute capability 8.0 on 1 KiB per block is reserved for the system.
// Checked against Nsight Compute's own limits of every launch in the corpus (tests/corpus).
//
// A missing input makes the answer unknown; it is never a limiter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/gpus.h"

namespace frx::knowledge {

struct LaunchShape {
  std::optional<std::uint32_t> threads_per_block;
  std::optional<std::uint32_t> registers_per_thread;
  std::optional<std::uint32_t> static_shared_bytes;   // per block
  std::optional<std::uint32_t> dynamic_shared_bytes;  // per block
  std::optional<std::uint32_t> cluster_size;          // blocks; absent: no cluster
  // The shared-memory configuration of the launch ("Shared Memory Configuration Size"). Absent: the
  // largest, as the driver chooses it when a kernel needs it.
  std::optional<std::uint32_t> carve_out_bytes;
};

enum class OccupancyLimiter { warps, blocks, registers, shared_memory };
std::string_view to_string(OccupancyLimiter limiter);  // "warps", "blocks", "registers", "shared_memory"

struct Occupancy {
  std::uint32_t warps_per_block = 0;
  std::uint32_t registers_per_block = 0;  // as allocated
  std::uint32_t shared_per_block = 0;     // as allocated, with the system's part
  std::uint32_t max_warps = 0;            // the capacity of the SM

  // Resident blocks that each resource allows; absent when it cannot limit or its input is missing.
  std::optional<std::uint32_t> blocks_by_warps;
  std::optional<std::uint32_t> blocks_by_blocks;
  std::optional<std::uint32_t> blocks_by_registers;
  std::optional<std::uint32_t> blocks_by_shared_memory;

  std::optional<std::uint32_t> active_blocks;
  std::optional<std::uint32_t> active_warps;
  std::optional<double> occupancy_pct;
  // The limiting resources, all of them on a tie; none at 100 %.
  std::vector<OccupancyLimiter> limiters;

  std::vector<std::string_view> missing;    // "registers per thread", ... : the values above are then unset
  std::optional<std::string> launch_fails;  // why such a launch is refused
  bool known() const { return occupancy_pct.has_value(); }
};

Occupancy occupancy(const LaunchShape& shape, const SmLimits& limits);

// The smallest step in one resource (or in two that limit together) that makes more warps resident.
struct OccupancyChange {
  std::optional<std::uint32_t> registers_per_thread;  // at most this many
  std::optional<std::uint32_t> shared_bytes;          // static and dynamic together, at most
  std::optional<std::uint32_t> threads_per_block;
  std::optional<std::uint32_t> carve_out_bytes;
  std::uint32_t blocks = 0;
  std::uint32_t warps = 0;
  double occupancy_pct = 0;
  std::string text;  // "reduce registers per thread from 72 to 64: 4 blocks per SM instead of 3, occupancy 50 % instead of 37.5 %"
};

// Empty when the occupancy is full, unknown or the launch impossible.
std::vector<OccupancyChange> what_would_change(const LaunchShape& shape, const SmLimits& limits);

}  // namespace frx::knowledge
