#include "derive/warp/cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "derive/warp/testing.h"

namespace frx::derive::warp {
namespace {

using testing::lanes_apart;

constexpr std::uint32_t known = 1u << 20;  // aligned to more than any memory asks for

TEST(WarpCost, IsInSectorsOrWavefronts) {
  EXPECT_EQ(cost(lanes_apart(0, 128, 4), Memory::global), (Cost{32, 4}));
  EXPECT_EQ(cost(lanes_apart(0, 128, 4), Memory::shared), (Cost{32, 1}));
  EXPECT_EQ(cost(lanes_apart(0, 0, 4), Memory::local), (Cost{4, 4}));
}

TEST(WarpCost, AKnownBaseHasOneCost) {
  const CostRange range = cost_range(lanes_apart(16, 4, 4), Memory::global, known);
  EXPECT_EQ(range.typical, (Cost{5, 4}));
  EXPECT_EQ(range.best, range.typical);
  EXPECT_EQ(range.worst, range.typical);
}

TEST(WarpCost, ABaseThatIsAlignedToElementsOnlyMayCostASectorMore) {
  const CostRange range = cost_range(lanes_apart(0, 4, 4), Memory::global, 4);
  EXPECT_EQ(range.typical.needed, 4u);
  EXPECT_EQ(range.best.needed, 4u);
  EXPECT_EQ(range.worst.needed, 5u);
  EXPECT_EQ(cost_range(lanes_apart(0, 4, 4), Memory::global, 32).worst.needed, 4u);
  EXPECT_EQ(cost_range(lanes_apart(4, 4, 4), Memory::global, 16).best.needed, 5u);  // 4 or 20 bytes behind a sector
}

// A float that is not at a multiple of 4 would be a fault: with a base that is aligned to nothing, too.
TEST(WarpCost, AddressesAreAlignedToWhatIsAccessed) {
  EXPECT_EQ(cost_range(lanes_apart(0, 4096, 4), Memory::global, 1).worst.needed, 32u);
  EXPECT_EQ(cost_range(lanes_apart(0, 4, 4), Memory::shared, 1).worst.needed, 1u);
  EXPECT_EQ(cost_range(lanes_apart(1, 4, 4), Memory::shared, 1).typical.needed, 1u);
}

TEST(WarpCost, NobodyNeedsNothing) { EXPECT_EQ(cost_range(lanes_apart(0, 4, 4, 0), Memory::global, 4).worst, Cost{}); }

// The same, by sets of bytes, for lanes that point anywhere.
TEST(WarpCost, AgreesWithCountingByteByByte) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::uint32_t bytes = 1u << random() % 5;
    Request request{{}, static_cast<LaneMask>(random() | random()), bytes};
    const std::int64_t range = std::int64_t{1} << (5 + random() % 8);
    for (std::int64_t& address : request.addresses) address = static_cast<std::int64_t>(random() % range) - range / 2;
    std::set<std::int64_t> touched, sectors;
    std::uint32_t wavefronts = 0, groups = 0;
    const std::uint32_t together = bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
    for (std::uint32_t first = 0; first < 32; first += together) {
      std::array<std::set<std::int64_t>, 32> words_of_bank;
      std::size_t most = 0;
      for (std::uint32_t lane = first; lane < first + together; ++lane) {
        for (std::int64_t i = 0; i < bytes && request.is_active(lane); ++i) {
          const std::int64_t byte = request.addresses[lane] + i + 1'000'000 * 128;  // above zero, where / rounds down
          touched.insert(byte);
          sectors.insert(byte / 32);
          std::set<std::int64_t>& words = words_of_bank[byte / 4 % 32];
          words.insert(byte / 4);
          most = std::max(most, words.size());
        }
      }
      wavefronts += most;
      groups += most > 0;
    }
    EXPECT_EQ(cost(request, Memory::global),
              (Cost{static_cast<std::uint32_t>(sectors.size()), (static_cast<std::uint32_t>(touched.size()) + 31) / 32}));
    EXPECT_EQ(cost(request, Memory::shared), (Cost{wavefronts, groups}));
  }
}

}  // namespace
}  // namespace frx::derive::warp
