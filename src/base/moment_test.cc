#include "base/moment.h"

#include <gtest/gtest.h>

namespace frx {
namespace {

TEST(Moment, IsWrittenAndReadAgain) {
  for (const char* text :
       {"2026-11-26T12:44:55Z", "2026-11-26T12:44:55.120Z", "1970-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "2000-02-29T00:00:01Z"}) {
    const std::optional<std::int64_t> ms = moment_in(text);
    ASSERT_TRUE(ms) << text;
    EXPECT_EQ(moment_text(*ms), text);
  }
  EXPECT_EQ(moment_in("1970-01-02"), 86'400'000);
  EXPECT_EQ(moment_in("1970-01-01 00:01:00Z"), 60'000);
  EXPECT_EQ(minute_text(86'400'000 + 3'661'000), "1970-01-02 01:01");
}

TEST(Moment, IsNotWhatNoCalendarOrClockHas) {
  for (const char* text : {"", "2026", "2026-02-30", "2026-11-26T", "2026-11-26Z", "2026-11-26T24:00:00Z", "2026-11-26T12:44:55",
                           "2026-11-26T12:44:55.1234Z", "2026-11-26T12:44:5xZ", "2026-11-26T12:44:55.Z", "26-11-2026"})
    EXPECT_FALSE(moment_in(text)) << text;
}

}  // namespace
}  // namespace frx
