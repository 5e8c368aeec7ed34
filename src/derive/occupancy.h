// Which resources limit the number of warps on an SM.
//
// The block limits come from the file when it has them, else from the launch attributes through the
// occupancy model of knowledge/occupancy, if the compute capability is known. Unknown inputs give an
// unknown answer: a block size that was not recorded limits nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/device.h"
#include "knowledge/occupancy.h"
#include "model/readings.h"

namespace frx::derive {

// What the launch attributes alone allow, by the model of knowledge/occupancy; only where the limits of the SM are known.
struct OccupancyEstimate {
  knowledge::Occupancy occupancy;
  std::uint32_t threads_per_sm = 0, blocks_per_sm = 0, registers_per_sm = 0, shared_bytes_per_sm = 0;
};

struct OccupancyAnalysis {
  std::optional<double> achieved_pct;
  std::optional<double> theoretical_pct;
  bool modelled = false;                   // theoretical_pct is ours, not the file's
  std::vector<std::string_view> limiters;  // registers, shared_memory, warps, blocks, barriers; empty at 100 %
  std::optional<double> limit_registers, limit_shared_memory, limit_warps, limit_blocks, limit_barriers;
  std::string advice;  // what would allow one more block, or ""
  std::optional<OccupancyEstimate> estimate;

  std::string_view limiter() const { return limiters.empty() ? std::string_view() : limiters.front(); }
  std::optional<double> gap_pct() const;
  std::optional<double> efficiency_pct() const;
};

// Adds modelled limits and the modelled theoretical occupancy to readings that lack them.
void add_occupancy_readings(const Device& device, model::Readings& readings);

OccupancyAnalysis analyse_occupancy(const model::Readings& readings, const Device& device);

}  // namespace frx::derive
