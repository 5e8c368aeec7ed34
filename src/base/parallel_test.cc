#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/kept_threads.h"

namespace frx {
namespace {

TEST(Parallel, EachIsDoneOnce) {
  std::vector<std::atomic<int>> done(1000);
  for_each_in_parallel(done.size(), [&](std::size_t i) { ++done[i]; });
  for (const auto& times : done) EXPECT_EQ(times, 1);
}

TEST(Parallel, OfAFewItemsEachIsDoneInOrder) {
  std::vector<std::size_t> done;
  for_many_in_parallel(3, [&](std::size_t i) { done.push_back(i); });
  EXPECT_EQ(done, (std::vector<std::size_t>{0, 1, 2}));
  std::atomic<int> many{0};
  for_many_in_parallel(300, [&](std::size_t) { ++many; });
  EXPECT_EQ(many, 300);
}

TEST(Parallel, ASettingLimitsTheThreads) {
  set_most_threads(1);
  EXPECT_EQ(most_threads(), 1U);
  std::set<std::thread::id> threads;
  for_each_in_parallel(100, [&](std::size_t) { threads.insert(std::this_thread::get_id()); });
  EXPECT_EQ(threads.size(), 1U);
  set_most_threads(0);
  EXPECT_GE(most_threads(), 1U);
}

TEST(Parallel, KeptThreadsDoTheSameWorkRoundAfterRound) {
  set_most_threads(4);
  const KeptThreads threads;
  std::set<std::thread::id> seen;
  std::mutex mutex;
  for (int round = 0; round < 500; ++round) {
    std::vector<std::atomic<int>> done(16);
    for_each_in_parallel(done.size(), [&](std::size_t i) {
      for_each_in_parallel(3, [&](std::size_t) { ++done[i]; });
      const std::scoped_lock lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    for (const auto& times : done) ASSERT_EQ(times, 3);
  }
  EXPECT_LE(seen.size(), 4U);
  EXPECT_THROW(for_each_in_parallel(8,
                                    [](std::size_t i) {
                                      if (i == 5) throw std::runtime_error("five");
                                    }),
               std::runtime_error);
  std::atomic<int> many{0};
  for_each_in_parallel(100, [&](std::size_t) { ++many; });
  EXPECT_EQ(many, 100);
  set_most_threads(0);
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
