// One instruction of one warp after the other: sectors and banks that its lanes touch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_set>
#include <vector>

#include "derive/cuda/patterns.h"

namespace frx::derive::cuda {

struct LaneAddress {
  std::uint32_t thread;
  std::int64_t address;
};

class WarpAccess {
 public:
  // The active lanes of a warp, in order.
  void add(std::span<const LaneAddress> lanes, std::uint32_t bytes);
  // `first`: this is the first of the samples; a later one may only take away.
  void put_into(AccessPattern& pattern, bool first) const;

 private:
  void add_sectors(std::span<const LaneAddress> lanes, std::uint32_t bytes);
  void add_banks(std::span<const LaneAddress> lanes, std::uint32_t bytes);
  void add_stride(std::span<const LaneAddress> lanes);

  std::uint64_t sectors_ = 0, ideal_ = 0;
  std::uint32_t ways_ = 1, threads_ = 0;
  bool same_ = true, has_stride_ = true;
  std::optional<std::int64_t> stride_, first_;
  std::unordered_set<std::int64_t> distinct_;
};

}  // namespace frx::derive::cuda
