// One instruction of one warp after the other: sectors and banks that its lanes touch.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "derive/cuda/patterns.h"

namespace frx::derive::cuda {

// The active lanes of a warp: numbers of the threads, rising, and the address of each.
struct WarpAddresses {
  std::array<std::uint32_t, 32> threads;
  std::array<std::int64_t, 32> addresses;
  std::uint32_t count = 0;
};

class WarpAccess {
 public:
  explicit WarpAccess(bool in_banks) : in_banks_(in_banks) {}

  void add(const WarpAddresses& warp, std::uint32_t bytes);
  // `first`: this is the first of the samples; a later one may only take away.
  void put_into(AccessPattern& pattern, bool first);

 private:
  bool is_further_on(const WarpAddresses& warp) const;
  void add_sectors(const WarpAddresses& warp, std::uint32_t bytes);
  void add_banks(const WarpAddresses& warp, std::uint32_t bytes);
  void add_stride(const WarpAddresses& warp);

  bool in_banks_;
  std::uint64_t sectors_ = 0, ideal_ = 0;
  WarpAddresses before_;                                 // the last warp that was looked at
  std::uint64_t sectors_before_ = 0, ideal_before_ = 0;  // of it
  std::uint32_t ways_ = 1;
  bool same_ = true, has_stride_ = true;
  std::optional<std::int64_t> stride_, first_;
  std::array<std::int64_t, 32 * Lanes::most_warps> all_;  // addresses of all warps, the first `count_`
  std::uint32_t count_ = 0;
};

}  // namespace frx::derive::cuda
