#include "ingest/fatbin/lz4_block.h"

#include <gtest/gtest.h>

namespace frx::ingest::fatbin {
namespace {

using namespace std::string_view_literals;

bool is_damaged(std::string_view packed, std::size_t size) { return !unpack_lz4_block(packed, size); }

TEST(Lz4Block, HoldsLiterals) {
  EXPECT_EQ(*unpack_lz4_block("\x30"
                              "abc",
                              3),
            "abc");
  EXPECT_EQ(*unpack_lz4_block("\0"sv, 0), "");
}

// The last twelve bytes of a block are literals.
constexpr std::string_view tail =
    "\xC0"
    "0123456789ab"sv;

std::string block(std::string_view begin) { return std::string(begin) + std::string(tail); }

// "abc", then four bytes from three back; one "a", then 24 bytes from one back.
TEST(Lz4Block, CopiesWhatWasUnpacked) {
  EXPECT_EQ(unpack_lz4_block(block("\x30"
                                   "abc\x03\x00"sv),
                             19)
                .value_or("damaged"),
            "abcabca0123456789ab");
  EXPECT_EQ(unpack_lz4_block(block("\x1F"
                                   "a\x01\x00\x05"sv),
                             37)
                .value_or("damaged"),
            std::string(25, 'a') + "0123456789ab");
}

TEST(Lz4Block, HasLongLiterals) {
  const std::string text(15 + 255 + 7, 'x');
  EXPECT_EQ(*unpack_lz4_block("\xF0\xFF\x07" + text, text.size()), text);
}

TEST(Lz4Block, IsRefusedWhenDamaged) {
  EXPECT_TRUE(is_damaged("", 0));
  EXPECT_TRUE(
      is_damaged("\x30"
                 "ab",
                 3));  // literals end early
  EXPECT_TRUE(
      is_damaged("\x30"
                 "abc\x03",
                 7));  // half a distance
  EXPECT_TRUE(is_damaged(block("\x30"
                               "abc\x04\x00"sv),
                         19));  // before the begin
  EXPECT_TRUE(
      is_damaged("\x30"
                 "abc\x03\x00"sv,
                 7));                            // ends with a copy
  EXPECT_TRUE(is_damaged("\xF0\xFF\xFF", 600));  // a length without end
}

TEST(Lz4Block, BecomesExactlyTheDeclaredSize) {
  EXPECT_TRUE(
      is_damaged("\x30"
                 "abc",
                 2));
  EXPECT_TRUE(
      is_damaged("\x30"
                 "abc",
                 4));
  EXPECT_TRUE(
      is_damaged("\x1F"
                 "a\x01\x00\xFF\xFF\x05\x10"
                 "b"sv,
                 26));
  EXPECT_EQ(unpack_lz4_block("\x30"
                             "abc",
                             std::size_t{1} << 40)
                .error()
                .message,
            "4 bytes of LZ4 cannot become 1099511627776");
}

}  // namespace
}  // namespace frx::ingest::fatbin
