#include "derive/ptx/access_summary.h"

#include "derive/ptx/testing.h"

namespace frx::derive::ptx {
namespace {

using ingest::ptx::testing::kernel;
using testing::Derived;

// Of accesses to records of the kernel's array; %rd3: the address of the thread's record of so many bytes.
AccessSummary summary(int record, const std::string& accesses) {
  const Derived it(kernel("ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.s32 %rd2, %r1, " + std::to_string(record) +
                          ";\nadd.s64 %rd3, %rd1, %rd2;\n" + accesses + "\nret;"));
  Vocabulary words(it.module);
  words.enter(it.module, it.function);
  const Dominators tree = dominators(it.graph);
  const Loops loops = find_loops(it.graph, tree);
  return summary_of(MemoryAnalysis(it.module, it.function, words, it.graph, tree, loops, it.uses, it.live, it.diverges()));
}

TEST(PtxAccessSummary, OneMemberOfARecordWastesSectors) {
  const AccessSummary one = summary(32, "ld.global.f32 %f1, [%rd3+8];");
  EXPECT_EQ(one.uncoalesced_count, 1u);
  EXPECT_EQ(one.blocked_count, 0u);
}

TEST(PtxAccessSummary, MostMembersOfARecordUseTheSectors) {
  const AccessSummary all = summary(12, "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+4];\nld.global.f32 %f3, [%rd3+8];");
  EXPECT_EQ(all.uncoalesced_count, 0u);
  EXPECT_EQ(all.blocked_count, 3u);
  const AccessSummary most = summary(16, "ld.global.f32 %f1, [%rd3];\nld.global.f64 %fd1, [%rd3+8];");
  EXPECT_EQ(most.uncoalesced_count, 0u);
  EXPECT_EQ(most.blocked_count, 2u);
}

// The second member of a vector is read again behind a store.
TEST(PtxAccessSummary, AWideLoadIsANeighbour) {
  const AccessSummary again = summary(8, "ld.global.v2.f32 {%f1, %f2}, [%rd3];\nld.global.f32 %f3, [%rd3+4];");
  EXPECT_EQ(again.uncoalesced_count, 0u);
}

TEST(PtxAccessSummary, StoresDoNotUseWhatLoadsWaste) {
  const AccessSummary apart = summary(16, "ld.global.f64 %fd1, [%rd3];\nst.global.f32 [%rd3+8], %f1;\nst.global.f32 [%rd3+12], %f1;");
  EXPECT_EQ(apart.uncoalesced_count, 3u);
}

TEST(PtxAccessSummary, RowsOfAFewLanesAreNeighboursToo) {
  // Eight lanes share a row whose distance is a parameter; each stores four numbers.
  const AccessSummary rows =
      summary(0,
              "ld.param.u32 %r3, [n];\nshr.u32 %r4, %r1, 3;\nand.b32 %r5, %r1, 7;\nmul.lo.s32 %r6, %r4, %r3;\nshl.b32 %r7, %r5, 2;\n"
              "add.s32 %r8, %r6, %r7;\nmul.wide.s32 %rd4, %r8, 4;\nadd.s64 %rd5, %rd1, %rd4;\nst.global.f32 [%rd5], %f1;\n"
              "st.global.f32 [%rd5+4], %f1;\nst.global.f32 [%rd5+8], %f1;\nst.global.f32 [%rd5+12], %f1;");
  EXPECT_EQ(rows.uncoalesced_count, 0u);
}

TEST(PtxAccessSummary, AFewSectorsAreNoWaste) {
  EXPECT_EQ(summary(4, "ld.global.u8 %r9, [%rd3];").uncoalesced_count, 0u);  // one channel of four: a row of sectors, as for words
  EXPECT_EQ(summary(8, "ld.global.u8 %r9, [%rd3];").uncoalesced_count, 1u);
}

// Four addresses for 32 lanes, a sector each.
TEST(PtxAccessSummary, ABroadcastWastesNothing) {
  const AccessSummary shared =
      summary(0, "shr.u32 %r4, %r1, 2;\nmul.wide.u32 %rd4, %r4, 32;\nadd.s64 %rd5, %rd1, %rd4;\nld.global.f64 %fd1, [%rd5];");
  EXPECT_EQ(shared.uncoalesced_count, 0u);
}

}  // namespace
}  // namespace frx::derive::ptx
