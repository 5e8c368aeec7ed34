// The smallest change of an array that would let a warp access it without waste, found by trying.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "derive/ptx/memory_access.h"
#include "derive/warp/cost.h"

namespace frx::derive::ptx {

class Cures {
 public:
  explicit Cures(const Addresses& addresses) : addresses_(addresses) {}

  // For a request of the warp that `values` stand at, which costs `now`.
  Cure find(const Address& address, const Request& request, std::optional<std::int64_t> lane_stride, const LaneValues& values,
            LaneMask active, warp::Cost now);

 private:
  struct Case {
    const Request& access;
    std::optional<std::int64_t> lane_stride;
    const LaneValues& values;
    LaneMask active;
    warp::Cost now;
    std::vector<Term> terms;  // those that differ between lanes
    bool has_functions = false;
  };

  Cure search(const Case& one) const;
  Cure padded(const Case& one) const;
  Cure swapped(const Case& one) const;
  Cure separated(const Case& one) const;
  std::vector<std::int64_t> rows(const Case& one) const;

  const Addresses& addresses_;
  // Code that was unrolled has the same access many times over.
  std::map<std::tuple<std::vector<std::int64_t>, std::uint32_t, LaneMask, int>, Cure> found_;
};

}  // namespace frx::derive::ptx
