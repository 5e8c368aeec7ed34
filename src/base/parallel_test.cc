#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace frx {
namespace {

TEST(Parallel, EachIsDoneOnce) {
  std::vector<std::atomic<int>> done(1000);
  for_each_in_parallel(done.size(), [&](std::size_t i) { ++done[i]; });
  for (const auto& times : done) EXPECT_EQ(times, 1);
}

TEST(Parallel, NothingIsNoWork) {
  for_each_in_parallel(0, [](std::size_t) { FAIL() << "there is nothing to do"; });
}

TEST(Parallel, WorkMayAskForMore) {
  std::atomic<int> done{0};
  for_each_in_parallel(20, [&](std::size_t) { for_each_in_parallel(20, [&](std::size_t) { ++done; }); });
  EXPECT_EQ(done, 400);
}

}  // namespace
}  // namespace frx
