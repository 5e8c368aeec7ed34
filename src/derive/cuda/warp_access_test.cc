#include "derive/cuda/warp_access.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace frx::derive::cuda {
namespace {

// Thread i of warp w asks for `begin + i * stride + w * distance`.
AccessPattern pattern_of(bool in_banks, std::int64_t begin, std::int64_t stride, std::vector<std::int64_t> distances) {
  WarpAccess access(in_banks);
  for (std::uint32_t w = 0; w < distances.size(); ++w) {
    WarpAddresses warp;
    for (std::uint32_t i = 0; i < 32; ++i) {
      warp.threads[i] = 32 * w + i;
      warp.addresses[i] = begin + i * stride + distances[w];
    }
    warp.count = 32;
    access.add(warp, 4);
  }
  AccessPattern pattern;
  access.put_into(pattern, true);
  return pattern;
}

TEST(WarpAccess, CountsWarpsFurtherOnLikeTheFirst) {
  for (const std::int64_t begin : {-4096, -4, 0, 20, 128}) {
    for (const std::int64_t stride : {0, 4, 8, 36, 128}) {
      const AccessPattern one = pattern_of(false, begin, stride, {0});
      const AccessPattern four = pattern_of(false, begin, stride, {0, 128, 4096, 1 << 20});
      EXPECT_EQ(four.sector_ratio, one.sector_ratio) << begin << " " << stride;
      EXPECT_EQ(four.lane_stride, one.lane_stride);
      EXPECT_EQ(pattern_of(true, begin, stride, {0, 128, 4096}).bank_ways, pattern_of(true, begin, stride, {0}).bank_ways);
    }
  }
}

// 128 bytes from a boundary of sectors are four of them; from the middle of one, five.
TEST(WarpAccess, LooksAnewWhereAWarpLiesOtherwise) {
  EXPECT_EQ(pattern_of(false, 0, 4, {0, 128}).sector_ratio, 1);
  EXPECT_EQ(pattern_of(false, 0, 4, {0, 144}).sector_ratio, 9.0 / 8);
  EXPECT_EQ(pattern_of(false, 0, 4, {16, 128, 272}).sector_ratio, 14.0 / 12);
}

}  // namespace
}  // namespace frx::derive::cuda
