#include "base/utf16.h"

#include <gtest/gtest.h>

#include <string>

namespace frx {
namespace {

std::uint32_t before(std::string_view text, std::size_t byte) { return Utf16Units(text).before(text, static_cast<std::uint32_t>(byte)); }

TEST(Utf16Units, OfAsciiAreItsBytes) {
  EXPECT_EQ(before("abc", 0), 0u);
  EXPECT_EQ(before("abc", 2), 2u);
  EXPECT_EQ(before("", 0), 0u);
}

TEST(Utf16Units, ACharacterIsOneAndBeyondTheBasicPlaneTwo) {
  EXPECT_EQ(before("gr\u00FC\u00DFe", 6), 4u);  // two letters of two bytes
  EXPECT_EQ(before("\u4E2D\u6587x", 6), 2u);    // two of three bytes
  EXPECT_EQ(before("\U0001F680x", 4), 2u);      // one of four bytes: a surrogate pair
  EXPECT_EQ(before("\U0001F680x\u00E9", 5), 3u);
}

TEST(Utf16Units, AreRightOnBothSidesOfEveryMark) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "a\u00E9\U0001F680";  // seven bytes, four units
  for (std::size_t i = 0; i <= 100; ++i) EXPECT_EQ(before(text, 7 * i), 4 * i);
}

TEST(Utf16Units, OfAnOlderEncodingAreItsBytes) {
  EXPECT_EQ(before("Gr\xFC\xDF"
                   "e \xC3\xA9",
                   5),
            5u);
}

}  // namespace
}  // namespace frx
