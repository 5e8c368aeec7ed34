#include "base/byte_size.h"

#include <gtest/gtest.h>

namespace frx {
namespace {

TEST(ByteSize, IsANumberWithALetterOf1024) {
  EXPECT_EQ(parse_byte_size("1"), 1u);
  EXPECT_EQ(parse_byte_size("64K"), 65536u);
  EXPECT_EQ(parse_byte_size("2m"), 2097152u);
  EXPECT_EQ(parse_byte_size("3G"), 3221225472u);
}

TEST(ByteSize, RefusesEverythingElse) {
  for (const char* wrong : {"", "M", "-1", "0", "0G", "1.5G", "8 G", "8GB", "8T", "18446744073709551616", "18446744073709551615K"})
    EXPECT_FALSE(parse_byte_size(wrong)) << wrong;
}

}  // namespace
}  // namespace frx
