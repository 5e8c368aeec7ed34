#include "derive/cuda/warp_access.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace frx::derive::cuda {
namespace {

// Lane i of warp w asks for 4 bytes at `begin + i * stride + distances[w]`.
AccessPattern pattern_of(bool in_banks, std::int64_t begin, std::int64_t stride, std::vector<std::int64_t> distances) {
  WarpAccess access(in_banks);
  for (const std::int64_t distance : distances) {
    warp::Request request;
    for (std::uint32_t lane = 0; lane < warp::lane_count; ++lane) request.addresses[lane] = begin + lane * stride + distance;
    access.add(request);
  }
  AccessPattern pattern;
  access.merge_into(pattern, true);
  return pattern;
}

TEST(WarpAccess, CountsDisplacedWarpsLikeTheFirst) {
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
TEST(WarpAccess, MeasuresWarpsOfOtherAlignmentAgain) {
  EXPECT_EQ(pattern_of(false, 0, 4, {0, 128}).sector_ratio, 1);
  EXPECT_EQ(pattern_of(false, 0, 4, {0, 144}).sector_ratio, 9.0 / 8);
  EXPECT_EQ(pattern_of(false, 0, 4, {16, 128, 272}).sector_ratio, 14.0 / 12);
}

// Half a warp is served at once, and in it the 8 bytes of every second lane lie in banks of their own.
TEST(WarpAccess, LanesThatAreNotActiveKeepTheirPlaceInTheWarp) {
  warp::Request request{{}, 0x55555555, 8};
  for (std::uint32_t lane = 0; lane < warp::lane_count; ++lane) request.addresses[lane] = 8 * lane;
  WarpAccess access(true);
  access.add(request);
  AccessPattern pattern;
  access.merge_into(pattern, true);
  EXPECT_EQ(pattern.bank_ways, 1u);
}

TEST(WarpAccess, CountsAddressesOfAllWarpsOnce) {
  EXPECT_EQ(pattern_of(false, 64, 4, {0, 128}).distinct, 64u);
  EXPECT_EQ(pattern_of(false, 64, 4, {0, 64}).distinct, 48u);
  EXPECT_EQ(pattern_of(false, 64, 0, {0, 0}).distinct, 1u);
  EXPECT_EQ(pattern_of(false, 64, 4, {0, 64}).threads, 64u);
  EXPECT_EQ(pattern_of(false, 64, 4, {0, 64}).first_address, 64);
}

}  // namespace
}  // namespace frx::derive::cuda
