#include "ingest/cubin/spills.h"

#include <gtest/gtest.h>

#include "ingest/cubin/machine_code.h"
#include "ingest/cubin/testing_kernels.h"

namespace frx::ingest::cubin {
namespace {

using model::LocalAccesses;
using testing::load_local;
using testing::no_operation;
using testing::store_local;
using testing::words;

std::optional<LocalAccesses> spills(const std::string& code, const std::string& attributes, std::uint32_t version = 130) {
  const auto records = read_attributes(attributes);
  EXPECT_TRUE(records);
  return spills_of(code, facts_of(code).local, *records, version);
}

std::string marks_at(std::size_t first, std::size_t count) {
  std::string marks;
  for (std::size_t i = first; i < first + count; ++i) marks += words({1, 16 * i});
  return testing::attribute(0x55, marks);
}

TEST(Spills, AreTheAccessesThatTheCompilerMarked) {
  const std::string code = store_local(4) + store_local(5) + load_local(6) + load_local(4);
  EXPECT_EQ(spills(code, marks_at(1, 2)), (LocalAccesses{.loads = 1, .stores = 1, .load_bytes = 16, .store_bytes = 8}));
  EXPECT_EQ(spills(code, marks_at(1, 2), 128), (LocalAccesses{.loads = 1, .stores = 1, .load_bytes = 16, .store_bytes = 8}));
}

TEST(Spills, AreNoneWithoutMarksOfACompilerThatWritesThem) { EXPECT_EQ(spills(store_local(), "", 130), LocalAccesses()); }

// A local array and a spill look the same.
TEST(Spills, AreUnknownWithoutMarksOfAnOlderCompiler) {
  EXPECT_EQ(spills(store_local(), "", 124), std::nullopt);
  EXPECT_EQ(spills(store_local(), "", 0), std::nullopt);
}

TEST(Spills, AreNoneWithoutLocalMemoryWhateverTheCompiler) { EXPECT_EQ(spills(no_operation(), "", 110), LocalAccesses()); }

TEST(Spills, AreUnknownWhereTheMarksAre) {
  const std::string code = store_local() + no_operation();
  EXPECT_EQ(spills(code, testing::attribute(0x55, words({2, 0}))), std::nullopt);  // of another kind
  EXPECT_EQ(spills(code, marks_at(1, 1)), std::nullopt);                           // on another instruction
  EXPECT_EQ(spills(code, marks_at(7, 1)), std::nullopt);                           // after the code
}

std::string stores(std::size_t count) {
  std::string code;
  for (std::size_t i = 0; i < count; ++i) code += store_local();
  return code;
}

// This was found with a kernel of 10354 spills, of which ptxas marks the first 2162: the number is written modulo 8192.
TEST(Spills, AreAllOfLocalMemoryWhenTheNumberOfMarksOverflowed) {
  EXPECT_EQ(spills(stores(8192 + 5), marks_at(0, 5))->store_bytes, 4u * (8192 + 5));
  EXPECT_EQ(spills(stores(8192), marks_at(0, 0))->store_bytes, 4u * 8192);
}

TEST(Spills, AreUnknownWhenTheNumberOfMarksMayHaveOverflowed) {
  EXPECT_EQ(spills(stores(8192 + 6), marks_at(0, 5)), std::nullopt);
  EXPECT_EQ(spills(stores(8192 + 5), marks_at(1, 5)), std::nullopt);
  EXPECT_EQ(spills(stores(8191 + 5), marks_at(0, 5))->stores, 5u);
}

}  // namespace
}  // namespace frx::ingest::cubin
