#include "base/column.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace frx {
namespace {

TEST(Column, KeepsWhatWasAddedWhileItGrows) {
  Column<std::uint32_t> column;
  for (std::uint32_t i = 0; i < 1000; ++i) column.push_back(i);
  const std::vector<std::uint32_t> more(5000, 7);
  column.append(more);
  ASSERT_EQ(column.size(), 6000u);
  EXPECT_EQ(column[999], 999u);
  EXPECT_EQ(column[1000], 7u);
  EXPECT_EQ(column[5999], 7u);
}

TEST(Column, IsEmptyUntilSomethingIsAdded) {
  Column<std::int64_t> column;
  column.append({});
  EXPECT_TRUE(column.empty());
  EXPECT_EQ(column.begin(), column.end());
}

TEST(Column, CanBeMoved) {
  Column<std::int64_t> from;
  from.push_back(5);
  const Column<std::int64_t> to = std::move(from);
  ASSERT_EQ(to.size(), 1u);
  EXPECT_EQ(to[0], 5);
}

}  // namespace
}  // namespace frx
