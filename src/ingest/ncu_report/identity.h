// The identity of a launch of a report: shape, device and compute capability, wherever the tool version stores them: in the launch itself,
// in its metrics, or with the code that ran.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ingest/ncu_report/report.h"
#include "model/session.h"

namespace frx::ingest::nsight {

struct Identity {
  bool without_threads = false;                         // it failed, or is no single launch: a range, a graph, one of OptiX
  std::array<std::uint64_t, 3> grid{};                  // blocks; zeros without threads
  std::optional<std::array<std::uint64_t, 3>> cluster;  // blocks; absent before clusters existed
  int device = 0;                                       // 0 when not stated, as on every machine with one GPU
  std::optional<model::ComputeCapability> cc;
};

class IdentityReader {
 public:
  // Call it before of(): finds the relevant metrics, once per name of the report.
  void learn(const StringTable& names);
  void learn(const SourceData& source);
  Identity of(const Launch& launch) const;

 private:
  enum Which : std::uint8_t { grid_x, grid_y, grid_z, grid_size, device_id, cc_major, cc_minor, cluster_x, cluster_y, cluster_z, count };
  using Known = std::array<std::optional<std::uint64_t>, count>;

  static std::uint8_t which(std::string_view name);
  Known known(const Launch& launch) const;
  std::optional<model::ComputeCapability> capability(const Launch& launch, const Known& values) const;

  std::vector<std::uint8_t> which_;  // by name
  std::map<std::uint64_t, model::ComputeCapability> cc_of_source_;
};

}  // namespace frx::ingest::nsight
