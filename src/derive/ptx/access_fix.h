// The smallest change of an array layout that would let a warp access it without waste, found by trying candidates.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "derive/ptx/memory_access.h"
#include "derive/warp/cost.h"

namespace frx::derive::ptx {

class FixFinder {
 public:
  explicit FixFinder(const Addresses& addresses) : addresses_(addresses) {}

  // For a request that costs `now`, of the warp that `values` holds.
  AccessFix find(const Address& address, const Request& request, std::optional<std::int64_t> lane_stride, const LaneValues& values,
                 LaneMask active, warp::Cost now);

 private:
  struct Case {
    const Request& access;
    std::optional<std::int64_t> lane_stride;
    const LaneValues& values;
    LaneMask active;
    warp::Cost now;
    std::vector<Term> terms;  // the terms that differ between lanes
    bool has_functions = false;
  };

  AccessFix search(const Case& one) const;
  AccessFix padded(const Case& one) const;
  AccessFix swapped(const Case& one) const;
  AccessFix separated(const Case& one) const;
  std::vector<std::int64_t> rows(const Case& one) const;

  const Addresses& addresses_;
  // Unrolled code repeats the same access many times.
  std::map<std::tuple<std::vector<std::int64_t>, std::uint32_t, LaneMask, int>, AccessFix> found_;
};

}  // namespace frx::derive::ptx
