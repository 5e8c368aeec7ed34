#include "base/spill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/column.h"
#include "base/memory_budget.h"

namespace frx {
namespace {

constexpr std::size_t spill_mib = std::size_t{1} << 20;

// The folder of the build.
std::string here() { return std::filesystem::current_path().string(); }

class SpillTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Spill::start({here()}, UINT64_MAX);
    first_ = Spill::allocate(spill_mib);
    if (first_ == nullptr) GTEST_SKIP() << Spill::reason();
  }
  void TearDown() override { Spill::release(first_); }

  void* first_ = nullptr;
};

TEST_F(SpillTest, ABlockIsOfZerosAndKeepsWhatIsWritten) {
  auto* const block = static_cast<unsigned char*>(Spill::allocate(3 * spill_mib + 1));
  ASSERT_NE(block, nullptr);
  EXPECT_TRUE(std::all_of(block, block + 3 * spill_mib + 1, [](unsigned char byte) { return byte == 0; }));
  std::memset(block, 0x5A, 3 * spill_mib + 1);
  EXPECT_TRUE(Spill::holds(block));
  auto* const larger = static_cast<unsigned char*>(Spill::resize(block, 16 * spill_mib));
  ASSERT_NE(larger, nullptr);
  EXPECT_TRUE(std::all_of(larger, larger + 3 * spill_mib + 1, [](unsigned char byte) { return byte == 0x5A; }));
  EXPECT_EQ(larger[16 * spill_mib - 1], 0);
  EXPECT_TRUE(Spill::release(larger));
  EXPECT_FALSE(Spill::holds(larger));
}

TEST_F(SpillTest, OtherBlocksAreNotItsOwn) {
  const std::vector<char> other(spill_mib);
  EXPECT_FALSE(Spill::holds(other.data()));
  EXPECT_FALSE(Spill::release(const_cast<char*>(other.data())));
}

TEST_F(SpillTest, CountsItsBytesInPages) {
  const std::uint64_t before = Spill::bytes();
  void* const block = Spill::allocate(spill_mib + 1);
  EXPECT_GT(Spill::bytes(), before + spill_mib);
  Spill::release(block);
  EXPECT_EQ(Spill::bytes(), before);
}

TEST_F(SpillTest, ManyBlocksHaveToBeLarger) {
  std::vector<void*> blocks;
  const std::size_t least = Spill::least_block();
  for (int i = 0; i < 64; ++i) blocks.push_back(Spill::allocate(1));
  EXPECT_EQ(Spill::least_block(), 2 * least);
  for (void* const block : blocks) EXPECT_TRUE(Spill::release(block));
  EXPECT_EQ(Spill::least_block(), least);
}

TEST_F(SpillTest, ADiskWithoutSpaceIsNoBlock) {
  EXPECT_EQ(Spill::allocate(std::size_t{1} << 60), nullptr);
  EXPECT_NE(Spill::reason().find(here()), std::string::npos) << Spill::reason();
  auto* const block = static_cast<unsigned char*>(Spill::allocate(spill_mib));
  block[7] = 9;
  EXPECT_EQ(Spill::resize(block, std::size_t{1} << 60), nullptr);
  EXPECT_EQ(block[7], 9);
  Spill::release(block);
}

TEST(SpillFolder, OneInMemoryIsNone) {
  Spill::start({"/dev/shm", "/nowhere"}, UINT64_MAX);
  EXPECT_EQ(Spill::allocate(spill_mib), nullptr);
  EXPECT_EQ(Spill::reason(), "/dev/shm lies in memory or may not be written");
}

// Columns and vectors that need more than may be used.
class BudgetThatSpills : public SpillTest {
 protected:
  void SetUp() override {
    SpillTest::SetUp();
    if (IsSkipped()) return;
    MemoryBudget::start(64 * spill_mib);
    MemoryBudget::read(64 * spill_mib);  // the input may need 32 times as much in all
    MemoryBudget::spill({here()});
  }
  void TearDown() override {
    MemoryBudget::stop();
    SpillTest::TearDown();
  }
};

TEST_F(BudgetThatSpills, AColumnGrowsIntoAFile) {
  Column<std::uint64_t> column;
  constexpr std::uint64_t count = 32 << 20;  // 256 MiB
  for (std::uint64_t i = 0; i < count; ++i) column.push_back(i * i);
  EXPECT_TRUE(Spill::holds(column.begin()));
  EXPECT_LT(MemoryBudget::used(), 64 * spill_mib);
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(column[i], i * i);
  const std::uint64_t before = Spill::bytes();
  column = Column<std::uint64_t>();
  EXPECT_LT(Spill::bytes(), before - 256 * spill_mib + 1);
}

TEST_F(BudgetThatSpills, SmallBlocksStayInMemory) {
  Column<std::uint64_t> column;
  for (int i = 0; i < 1000; ++i) column.push_back(1);
  EXPECT_FALSE(Spill::holds(column.begin()));
}

TEST_F(BudgetThatSpills, NoMoreThanTheInputMayNeed) {
  Column<char> column;
  EXPECT_THROW(column.extend(4096 * spill_mib), OverBudget);
  EXPECT_EQ(column.size(), 0u);
  column.extend(100 * spill_mib);
  ASSERT_TRUE(Spill::holds(column.begin()));
  EXPECT_THROW(column.extend(4096 * spill_mib), OverBudget);
  EXPECT_EQ(column.size(), 100 * spill_mib);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(BudgetThatSpills, SoDoesAVectorOfAnyThread) {
  std::thread other([] {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < (64u << 20); ++i) numbers.push_back(i);
    EXPECT_TRUE(Spill::holds(numbers.data()));
    for (std::uint32_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
    MemoryBudget::report();
  });
  other.join();
}
#endif

TEST_F(BudgetThatSpills, ManySmallBlocksAreStillRefused) {
  std::vector<std::string> texts;
  EXPECT_THROW(for (int i = 0; i < 10'000'000; ++i) texts.emplace_back(100, 'x'), OverBudget);
}

}  // namespace
}  // namespace frx
