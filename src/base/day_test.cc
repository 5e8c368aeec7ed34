#include "base/day.h"

#include <gtest/gtest.h>

namespace frx {
namespace {

TEST(Day, IsOneOfTheCalendar) {
  for (const char* day : {"2026-06-30", "2024-02-29", "1970-01-01"}) EXPECT_TRUE(is_day(day)) << day;
  for (const char* other :
       {"", "2026-6-30", "2026-02-29", "2026-13-01", "2026-00-10", "2026-06-31", "2026/06/30", "2026-06-3x", "-026-06-30"})
    EXPECT_FALSE(is_day(other)) << other;
}

TEST(Day, OfTheSecondsAndOfTheVariable) {
  EXPECT_EQ(day_of(0), "1970-01-01");
  set_source_date("1782777599");
  EXPECT_EQ(today(), "2026-06-29");
  set_source_date("1782777600");
  EXPECT_EQ(today(), "2026-06-30");
  for (const auto& none : {std::optional<std::string>("soon"), std::optional<std::string>()}) {
    set_source_date(none);
    EXPECT_TRUE(is_day(today()));
    EXPECT_NE(today(), "2026-06-30");
  }
}

}  // namespace
}  // namespace frx
