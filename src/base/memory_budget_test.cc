#include "base/memory_budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/column.h"
#include "base/files.h"
#include "base/parallel.h"

namespace frx {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

// The sanitizers' operator new is not ours.
bool counts_blocks() {
  const std::uint64_t before = MemoryBudget::used();
  const std::vector<char> block(mebibyte);
  return MemoryBudget::used() >= before + mebibyte;
}

class Limited : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!counts_blocks()) GTEST_SKIP() << "the sanitizer counts memory itself";
  }
  void TearDown() override { MemoryBudget::stop(); }
};

using MemoryBudgetTest = Limited;

TEST_F(MemoryBudgetTest, WhatExceedsItThrowsAndIsNotHeld) {
  MemoryBudget::start(MemoryBudget::used() + 8 * mebibyte);
  const std::vector<char> fits(4 * mebibyte);
  const std::uint64_t before = MemoryBudget::used();
  EXPECT_THROW(std::vector<char>(16 * mebibyte), OverBudget);
  EXPECT_LE(MemoryBudget::used(), before + mebibyte);
  const std::vector<char> fits_too(2 * mebibyte);
}

TEST_F(MemoryBudgetTest, ManySmallBlocksCountAsOneLargeOne) {
  MemoryBudget::start(MemoryBudget::used() + 8 * mebibyte);
  std::vector<std::string> texts;
  EXPECT_THROW(for (int i = 0; i < 1'000'000; ++i) texts.emplace_back(100, 'x'), OverBudget);
  EXPECT_GT(texts.size(), 10'000u);
}

TEST_F(MemoryBudgetTest, ColumnsCount) {
  MemoryBudget::start(MemoryBudget::used() + 8 * mebibyte);
  Column<double> column;
  EXPECT_THROW(for (int i = 0; i < 10'000'000; ++i) column.push_back(i), OverBudget);
  EXPECT_GT(column.size(), 100'000u);
}

TEST_F(MemoryBudgetTest, WhatIsGivenBackMayBeUsedAgain) {
  MemoryBudget::start(MemoryBudget::used() + 8 * mebibyte);
  for (int i = 0; i < 100; ++i) {
    const std::vector<char> block(4 * mebibyte);
    Column<char> column;
    column.extend(2 * mebibyte);
  }
}

TEST_F(MemoryBudgetTest, GrowsWithTheInputAndNotPastTheMachine) {
  MemoryBudget::start({});
  const std::uint64_t before = MemoryBudget::limit();
  MemoryBudget::read(mebibyte);
  EXPECT_EQ(MemoryBudget::limit(), before + MemoryBudget::per_input_byte * mebibyte);
  MemoryBudget::read(UINT64_MAX);
  const std::uint64_t most = MemoryBudget::limit();
  MemoryBudget::read(mebibyte);
  EXPECT_EQ(MemoryBudget::limit(), most);
}

TEST_F(MemoryBudgetTest, AsAUserSaidDoesNotGrow) {
  MemoryBudget::start(100 * mebibyte);
  MemoryBudget::read(mebibyte);
  EXPECT_EQ(MemoryBudget::limit(), 100 * mebibyte);
}

TEST_F(MemoryBudgetTest, HoldsInThreads) {
  MemoryBudget::start(MemoryBudget::used() + 8 * mebibyte);
  EXPECT_THROW(for_each_in_parallel(8, [](std::size_t) { const std::vector<char> block(16 * mebibyte); }), OverBudget);
  std::thread other([] {
    { const std::vector<char> block(100'000); }
    MemoryBudget::report();
  });
  other.join();
  EXPECT_LE(MemoryBudget::used(), MemoryBudget::limit());
}

TEST_F(MemoryBudgetTest, TheErrorNamesTheInputAndTheWayOut) {
  MemoryBudget::start(96 * mebibyte);
  MemoryBudget::opened("report.csv");
  const Result<int> result = without_exceptions([]() -> Result<int> {
    const std::vector<char> block(256 * mebibyte);
    return 1;
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(to_string(result.error()),
            "report.csv: needs more memory than the 96 MB that may be used\n"
            "  hint: if the input can be trusted, allow more: --memory 8G, or FRX_MEMORY=8G");
  EXPECT_EQ(exit_code(result.error().kind), 1);
}

TEST_F(MemoryBudgetTest, IsSharedOutByAServer) {
  MemoryBudget::start(std::nullopt);
  MemoryBudget::share_out();
  const std::uint64_t idle = MemoryBudget::limit();
  MemoryBudget::read(1 << 30);  // reading earns nothing from then on
  EXPECT_EQ(MemoryBudget::limit(), idle);
  MemoryBudget::add_share(mebibyte);
  MemoryBudget::add_share(0);
  EXPECT_EQ(MemoryBudget::limit(), idle + 2 * MemoryBudget::base_bytes + 32 * mebibyte);
  MemoryBudget::remove_share(mebibyte);
  MemoryBudget::remove_share(0);
  EXPECT_EQ(MemoryBudget::limit(), idle);
  MemoryBudget::add_share(UINT64_MAX);
  EXPECT_LT(MemoryBudget::limit(), UINT64_MAX / 2);  // that of the machine
  MemoryBudget::remove_share(UINT64_MAX);
  MemoryBudget::stop();
  MemoryBudget::start(512 * mebibyte);  // as a user set it
  MemoryBudget::share_out();
  MemoryBudget::add_share(mebibyte);
  EXPECT_EQ(MemoryBudget::limit(), 512 * mebibyte);
}

TEST(WithoutExceptions, WhatALibraryThrowsBecomesAnError) {
  const Result<int> result = without_exceptions([]() -> Result<int> { throw std::runtime_error("filesystem error: too many links"); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "unexpected: filesystem error: too many links");
}

TEST(ParseMemory, TakesBytesAndPowersOf1024) {
  EXPECT_EQ(*parse_memory("134217728"), 128 * mebibyte);
  EXPECT_EQ(*parse_memory("512M"), 512 * mebibyte);
  EXPECT_EQ(*parse_memory("8g"), 8192 * mebibyte);
  for (const char* wrong : {"", "M", "-1", "1.5G", "8T", "10", "63M", "99999999999999999999", "18446744073709551615K"})
    EXPECT_FALSE(parse_memory(wrong)) << wrong;
}

}  // namespace
}  // namespace frx
