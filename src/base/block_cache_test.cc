#include "base/block_cache.h"

#include <gtest/gtest.h>

#include <vector>

namespace frx {
namespace {

constexpr std::size_t usable = 40;  // of a block, as glibc counts

TEST(BlockCache, HandsOutWhatItKeeps) {
  BlockCache cache;
  cache.open();
  void* const block = std::malloc(usable);
  ASSERT_TRUE(cache.keep(block, usable));
  EXPECT_EQ(cache.take(usable + 1), nullptr) << "it is too small";
  EXPECT_EQ(cache.take(8), nullptr) << "small requests have blocks of their own";
  EXPECT_EQ(cache.take(usable - 1), block);
  EXPECT_EQ(cache.take(usable - 1), nullptr) << "each block once";
  std::free(block);
}

TEST(BlockCache, KeepsNothingBeforeItIsOpenedAndAfterItIsClosed) {
  BlockCache cache;
  void* const block = std::malloc(usable);
  EXPECT_FALSE(cache.keep(block, usable));
  cache.open();
  EXPECT_TRUE(cache.keep(block, usable));
  cache.close(std::free);
  EXPECT_EQ(cache.take(usable), nullptr);
  void* const other = std::malloc(usable);
  EXPECT_FALSE(cache.keep(other, usable));
  std::free(other);
}

TEST(BlockCache, KeepsByTheSizeThatWasAskedFor) {
  BlockCache cache;
  cache.open();
  void* const block = std::malloc(33);
  ASSERT_TRUE(cache.keep_asked(block, 33));
  EXPECT_EQ(cache.take(usable + 1), nullptr) << "it need not be as large";
  cache.close(std::free);
}

TEST(BlockCache, HasALimitForEachSizeAndForSizes) {
  BlockCache cache;
  cache.open();
  std::size_t kept = 0;
  for (int i = 0; i < 1'000; ++i) {
    void* const block = std::malloc(usable);
    if (cache.keep(block, usable)) {
      ++kept;
    } else {
      std::free(block);
    }
  }
  EXPECT_GT(kept, 0u);
  EXPECT_LT(kept, 100u);
  void* const large = std::malloc(100'000);
  EXPECT_FALSE(cache.keep(large, 100'000));
  std::free(large);
  cache.close(std::free);
}

}  // namespace
}  // namespace frx
