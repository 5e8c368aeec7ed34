#include "derive/warp/request.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <vector>

#include "derive/warp/testing.h"

namespace frx::derive::warp {
namespace {

using testing::lanes_apart;

std::uint64_t sectors(const Request& request) { return footprint(request).sectors; }

TEST(WarpRequest, LanesSideBySideFillTheirSectors) {
  EXPECT_EQ(footprint(lanes_apart(0, 1, 1)), (Footprint{1, 32, 32}));
  EXPECT_EQ(footprint(lanes_apart(0, 4, 4)), (Footprint{4, 128, 32}));
  EXPECT_EQ(footprint(lanes_apart(256, 8, 8)), (Footprint{8, 256, 32}));
  EXPECT_EQ(footprint(lanes_apart(64, 16, 16)), (Footprint{16, 512, 32}));
}

TEST(WarpRequest, MisalignedLanesTouchOneSectorMore) {
  for (const std::int64_t begin : {4, 16, 28}) EXPECT_EQ(sectors(lanes_apart(begin, 4, 4)), 5u) << begin;
  EXPECT_EQ(sectors(lanes_apart(32, 4, 4)), 4u);
  EXPECT_EQ(sectors(lanes_apart(16, 16, 16)), 17u);
  EXPECT_EQ(footprint(lanes_apart(16, 4, 4)).ideal_sectors(), 4u);
}

TEST(WarpRequest, AStrideTouchesMoreUntilEachLaneHasItsSector) {
  EXPECT_EQ(sectors(lanes_apart(0, 8, 4)), 8u);
  EXPECT_EQ(sectors(lanes_apart(0, 12, 4)), 12u);
  EXPECT_EQ(sectors(lanes_apart(0, 32, 4)), 32u);
  EXPECT_EQ(sectors(lanes_apart(0, 4096, 4)), 32u);
  EXPECT_EQ(sectors(lanes_apart(28, 4096, 8)), 64u);  // each lane across a boundary
  EXPECT_EQ(footprint(lanes_apart(0, 4096, 4)).ideal_sectors(), 4u);
}

TEST(WarpRequest, AddressesBelowZeroAndFallingOnesCountTheSame) {
  EXPECT_EQ(footprint(lanes_apart(-128, 4, 4)), footprint(lanes_apart(0, 4, 4)));
  EXPECT_EQ(footprint(lanes_apart(-4, 4, 4)).sectors, 5u);
  EXPECT_EQ(footprint(lanes_apart(124, -4, 4)), footprint(lanes_apart(0, 4, 4)));
}

TEST(WarpRequest, LanesThatShareBytesCountThemOnce) {
  EXPECT_EQ(footprint(lanes_apart(64, 0, 4)), (Footprint{1, 4, 1}));
  EXPECT_EQ(footprint(lanes_apart(30, 0, 4)), (Footprint{2, 4, 1}));
  EXPECT_EQ(footprint(lanes_apart(0, 4, 16)), (Footprint{5, 140, 32}));  // 31 * 4 + 16
  EXPECT_EQ(footprint(lanes_apart(0, 4, 16)).ideal_sectors(), 5u);
  Request pairs = lanes_apart(0, 0, 4);
  for (std::uint32_t lane = 0; lane < lane_count; ++lane) pairs.addresses[lane] = lane / 2 * 64;
  EXPECT_EQ(footprint(pairs), (Footprint{16, 64, 16}));
}

TEST(WarpRequest, OnlyActiveLanesCount) {
  EXPECT_EQ(footprint(lanes_apart(0, 4, 4, 0xFFFF)), (Footprint{2, 64, 16}));
  EXPECT_EQ(footprint(lanes_apart(0, 4, 4, 0xAAAAAAAA)), (Footprint{4, 64, 16}));
  EXPECT_EQ(footprint(lanes_apart(0, 4, 4, 1u << 31)), (Footprint{1, 4, 1}));
  EXPECT_EQ(footprint(lanes_apart(0, 4, 4, 0)), Footprint{});
}

TEST(WarpRequest, SeveralRequestsShareTheirSectors) {
  // a[2 * i] and a[2 * i + 1]: half of each sector, and together all of it.
  std::vector<ByteRange> ranges;
  for (std::int64_t lane = 0; lane < 32; ++lane) ranges.push_back({8 * lane, 8 * lane + 4});
  EXPECT_EQ(footprint(ranges), (Footprint{8, 128, 32}));
  for (std::int64_t lane = 0; lane < 32; ++lane) ranges.push_back({8 * lane + 4, 8 * lane + 8});
  EXPECT_EQ(footprint(ranges), (Footprint{8, 256, 64}));
  ranges.push_back({0, 256});
  EXPECT_EQ(footprint(ranges), (Footprint{8, 256, 64}));
}

TEST(WarpRequest, LocalMemoryLiesSideBySideForTheLanes) {
  EXPECT_EQ(local_footprint(lanes_apart(8, 0, 4)).sectors, 4u);
  EXPECT_EQ(local_footprint(lanes_apart(8, 0, 8)).sectors, 8u);
  EXPECT_EQ(local_footprint(lanes_apart(8, 0, 8)).ideal_sectors(), 8u);
  EXPECT_EQ(local_footprint(lanes_apart(0, 4, 4)).sectors, 32u);  // each lane another element of its own array
  EXPECT_EQ(local_footprint(lanes_apart(8, 0, 4, 0xFF)).sectors, 1u);
  EXPECT_EQ(local_footprint(lanes_apart(8, 0, 1)).sectors, 4u);  // a byte of each word
  EXPECT_EQ(local_footprint(lanes_apart(8, 0, 1)).ideal_sectors(), 1u);
}

TEST(WarpRequest, SpacingIsThatOfNeighbours) {
  EXPECT_EQ(spacing(lanes_apart(100, 12, 4)), (Spacing{false, true, 12}));
  EXPECT_EQ(spacing(lanes_apart(100, -8, 4)), (Spacing{false, true, -8}));
  EXPECT_EQ(spacing(lanes_apart(100, 0, 4)), (Spacing{true, true, 0}));
  EXPECT_EQ(spacing(lanes_apart(100, 4, 4, 0x55555555)), (Spacing{false, true, std::nullopt}));
  EXPECT_EQ(spacing(lanes_apart(100, 4, 4, 1)), (Spacing{true, true, std::nullopt}));
  EXPECT_EQ(spacing(lanes_apart(100, 4, 4, 0)), (Spacing{true, true, std::nullopt}));
  EXPECT_EQ(spacing(lanes_apart(100, 4, 4, 0x0000FF03)), (Spacing{false, true, 4}));  // the gap is no stride
  Request bent = lanes_apart(0, 4, 4);
  bent.addresses[31] = 4096;
  EXPECT_EQ(spacing(bent), (Spacing{false, false, std::nullopt}));
}

TEST(WarpRequest, ADisplacedRequestIsTheSameInOtherLines) {
  EXPECT_TRUE(is_displaced(lanes_apart(128, 12, 4), lanes_apart(0, 12, 4)));
  EXPECT_TRUE(is_displaced(lanes_apart(-4096, 12, 4), lanes_apart(0, 12, 4)));
  EXPECT_FALSE(is_displaced(lanes_apart(32, 12, 4), lanes_apart(0, 12, 4)));
  EXPECT_FALSE(is_displaced(lanes_apart(128, 8, 4), lanes_apart(0, 12, 4)));
  EXPECT_FALSE(is_displaced(lanes_apart(128, 12, 8), lanes_apart(0, 12, 4)));
  EXPECT_FALSE(is_displaced(lanes_apart(128, 12, 4, 0xFFFF), lanes_apart(0, 12, 4)));
  EXPECT_FALSE(is_displaced(lanes_apart(0, 12, 4, 0), lanes_apart(0, 12, 4, 0)));
  Request other = lanes_apart(128, 12, 4, 0xFFFF), one = lanes_apart(0, 12, 4, 0xFFFF);
  other.addresses[20] = 1;  // not active
  EXPECT_TRUE(is_displaced(other, one));
}

TEST(WarpRequest, EvenlySpacedLanesCountAsAnyOthers) {
  for (std::int64_t step = -40; step <= 40; ++step) {
    for (const std::uint32_t bytes : {1, 2, 4, 8, 12, 16, 64}) {
      for (const std::int64_t first : {-100, 0, 4, 31}) {
        const Request request = lanes_apart(first, step, bytes);
        std::set<std::int64_t> touched, sectors, addresses;
        for (const std::int64_t address : request.addresses) {
          addresses.insert(address);
          for (std::int64_t byte = address; byte < address + bytes; ++byte) {
            touched.insert(byte);
            sectors.insert(byte >> 5);
          }
        }
        ASSERT_EQ(footprint(request), (Footprint{sectors.size(), touched.size(), addresses.size()}))
            << step << ' ' << bytes << ' ' << first;
        ASSERT_EQ(spacing(request), (Spacing{step == 0, true, step}));
      }
    }
  }
}

TEST(WarpRequest, AddressesAtTheEndOfTheirTypeDoNotOverflow) {
  const Request request = lanes_apart(std::numeric_limits<std::int64_t>::max() - 127, 4, 4);
  EXPECT_EQ(spacing(request).stride, 4);
  EXPECT_LE(footprint(request).sectors, 4u);
}

}  // namespace
}  // namespace frx::derive::warp
