#include "cli/analysis.h"

#include <gtest/gtest.h>

#include "cli/test_io.h"

namespace frx::cli {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

TEST(Progress, TellsBytesRateAndTimeLeftOnATerminal) {
  TestIo io;
  io.io.err_is_terminal = true;
  Progress::Clock::time_point now;
  {
    Progress progress(io.io, "trace.json", 1000 * mib, [&now] { return now; });
    const std::function<void(std::uint64_t)> tell = progress.callback();
    ASSERT_TRUE(tell);
    tell(mib);
    EXPECT_EQ(io.err(), "") << "nothing within a tenth of a second";
    now += std::chrono::seconds(2);
    tell(200 * mib);
    EXPECT_EQ(io.err(), "\rreading trace.json: 209.7 MB of 1.05 GB, 104.9 MB/s, 8 s left\x1b[K");
  }
  EXPECT_TRUE(io.err().ends_with("\r\x1b[K"));
}

TEST(Progress, IsNothingForShortFilesAndOtherOutputs) {
  TestIo io;
  EXPECT_FALSE(Progress(io.io, "trace.json", 1000 * mib).callback());
  io.io.err_is_terminal = true;
  EXPECT_FALSE(Progress(io.io, "trace.json", mib).callback());
}

}  // namespace
}  // namespace frx::cli
