// One instruction over all sampled warps: the sectors and banks that its lanes touch.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "derive/cuda/patterns.h"
#include "derive/warp/request.h"

namespace frx::derive::cuda {

class WarpAccess {
 public:
  explicit WarpAccess(bool in_banks) : in_banks_(in_banks) {}

  void add(const warp::Request& request);
  // `first`: this is the first of the samples; a later one may only weaken the pattern.
  void merge_into(AccessPattern& pattern, bool first);

 private:
  void measure(const warp::Request& request);

  bool in_banks_;
  std::uint64_t sectors_ = 0, ideal_ = 0, requests_ = 0;
  warp::Request last_{{}, 0, 0};  // the last one that was measured
  std::uint64_t sectors_of_last_ = 0, ideal_of_last_ = 0;
  std::uint32_t ways_ = 1;
  bool is_uniform_ = true, is_even_ = true;
  std::optional<std::int64_t> stride_, first_;
  std::array<std::int64_t, warp::lane_count * Lanes::most_warps> all_;  // addresses of all active lanes, the first `count_`
  std::uint32_t count_ = 0;
};

}  // namespace frx::derive::cuda
