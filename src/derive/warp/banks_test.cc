#include "derive/warp/banks.h"

#include <gtest/gtest.h>

#include "derive/warp/testing.h"

namespace frx::derive::warp {
namespace {

using testing::lanes_apart;

TEST(WarpBanks, WordsSideBySideAreServedAtOnce) {
  EXPECT_EQ(bank_use(lanes_apart(0, 4, 4)), (BankUse{1, 1, 1}));
  EXPECT_EQ(bank_use(lanes_apart(20, 4, 4)), (BankUse{1, 1, 1}));
  EXPECT_EQ(bank_use(lanes_apart(124, -4, 4)), (BankUse{1, 1, 1}));
}

TEST(WarpBanks, LanesThatAskForTheSameWordShareIt) {
  EXPECT_EQ(bank_use(lanes_apart(64, 0, 4)), (BankUse{1, 1, 1}));
  EXPECT_EQ(bank_use(lanes_apart(0, 1, 1)), (BankUse{1, 1, 1}));  // four lanes a word
  EXPECT_EQ(bank_use(lanes_apart(0, 2, 2)), (BankUse{1, 1, 1}));
  EXPECT_EQ(bank_use(lanes_apart(64, 0, 8)), (BankUse{2, 2, 1}));  // each half of the warp
}

TEST(WarpBanks, AStrideThatSharesAFactorWithTheBanksConflicts) {
  for (const std::uint32_t stride : {1, 2, 4, 8, 16, 32, 64}) {
    const std::uint32_t ways = std::min(stride, 32u);
    EXPECT_EQ(bank_use(lanes_apart(0, 4 * stride, 4)), (BankUse{ways, 1, ways})) << stride;
  }
  for (const std::uint32_t odd : {3, 5, 7, 9, 31, 33, 1023}) EXPECT_EQ(bank_use(lanes_apart(0, 4 * odd, 4)), (BankUse{1, 1, 1})) << odd;
  EXPECT_EQ(bank_use(lanes_apart(0, 4 * 6, 4)).ways, 2u);
  EXPECT_EQ(bank_use(lanes_apart(0, 4 * 12, 4)).ways, 4u);
}

TEST(WarpBanks, OneElementOfPaddingFreesAColumn) {
  EXPECT_EQ(bank_use(lanes_apart(0, 32 * 4, 4)), (BankUse{32, 1, 32}));
  EXPECT_EQ(bank_use(lanes_apart(0, 33 * 4, 4)), (BankUse{1, 1, 1}));
  // Of doubles: 32 in a row are 64 words.
  EXPECT_EQ(bank_use(lanes_apart(0, 32 * 8, 8)), (BankUse{32, 2, 16}));
  EXPECT_EQ(bank_use(lanes_apart(0, 33 * 8, 8)), (BankUse{2, 2, 1}));
}

TEST(WarpBanks, EightBytesGoByHalvesOfAWarp) {
  EXPECT_EQ(bank_use(lanes_apart(0, 8, 8)), (BankUse{2, 2, 1}));
  EXPECT_EQ(bank_use(lanes_apart(0, 16, 8)), (BankUse{4, 2, 2}));
  EXPECT_EQ(bank_use(lanes_apart(0, 8, 8, 0xFFFF)), (BankUse{1, 1, 1}));
  EXPECT_EQ(bank_use(lanes_apart(0, 8, 8, 0xFF00FF)), (BankUse{2, 2, 1}));
  // Every second lane: eight of each half, 16 bytes apart, do not meet.
  EXPECT_EQ(bank_use(lanes_apart(0, 8, 8, 0x55555555)), (BankUse{2, 2, 1}));
}

TEST(WarpBanks, SixteenBytesGoByQuartersOfAWarp) {
  EXPECT_EQ(bank_use(lanes_apart(0, 16, 16)), (BankUse{4, 4, 1}));
  EXPECT_EQ(bank_use(lanes_apart(0, 32, 16)), (BankUse{8, 4, 2}));
  EXPECT_EQ(bank_use(lanes_apart(0, 128, 16)), (BankUse{32, 4, 8}));
  EXPECT_EQ(bank_use(lanes_apart(0, 144, 16)), (BankUse{4, 4, 1}));  // rows of 128 bytes with 16 of padding
  EXPECT_EQ(bank_use(lanes_apart(0, 16, 16, 0xFF)), (BankUse{1, 1, 1}));
}

// Structures are no accesses of the hardware; 12 bytes go by eight lanes as 16 do, 32 by four.
TEST(WarpBanks, OtherSizesGoWithTheNextPowerOfTwo) {
  EXPECT_EQ(bank_use(lanes_apart(0, 12, 12)), (BankUse{4, 4, 1}));
  EXPECT_EQ(bank_use(lanes_apart(0, 32, 32)), (BankUse{8, 8, 1}));
  EXPECT_EQ(bank_use(lanes_apart(0, 64, 64)), (BankUse{16, 16, 1}));
}

TEST(WarpBanks, AWordAcrossABoundaryAsksForTwo) {
  EXPECT_EQ(bank_use(lanes_apart(2, 4, 4)), (BankUse{2, 1, 2}));  // 33 words
  EXPECT_EQ(bank_use(lanes_apart(3, 1, 2)), (BankUse{1, 1, 1}));
}

TEST(WarpBanks, ARequestOfNobodyNeedsNothing) { EXPECT_EQ(bank_use(lanes_apart(0, 4, 4, 0)), BankUse{}); }

}  // namespace
}  // namespace frx::derive::warp
