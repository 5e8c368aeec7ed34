#include "derive/ptx/testing.h"

namespace frx::derive::ptx {
namespace {

using testing::Derived;
using testing::of_kernel;

TEST(PtxDivergence, ThreadsDifferAndBlocksDoNot) {
  EXPECT_EQ(of_kernel("mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\nL: ret;").branches(), "yes ");
  EXPECT_EQ(of_kernel("mov.u32 %r1, %ctaid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\nL: ret;").branches(), "no ");
  EXPECT_EQ(of_kernel("ld.param.u32 %r1, [n];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 ret;\nret;").branches(), "no ");
}

TEST(PtxDivergence, ALoadIsAsItsAddress) {
  EXPECT_EQ(of_kernel("ld.param.u64 %rd1, [a];\nld.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 ret;\nret;").branches(), "no ");
  EXPECT_EQ(of_kernel("ld.param.u64 %rd1, [a];\nmov.u32 %r2, %laneid;\ncvt.u64.u32 %rd2, %r2;\nadd.s64 %rd3, %rd1, %rd2;\n"
                      "ld.global.u32 %r1, [%rd3];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 ret;\nret;")
                .branches(),
            "yes ");
  EXPECT_EQ(of_kernel("ld.local.u32 %r1, [8];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 ret;\nret;").branches(), "yes ");
}

TEST(PtxDivergence, WarpsAgreeOnVotesAndNotOnShuffles) {
  EXPECT_EQ(of_kernel("mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\nvote.sync.ballot.b32 %r2, %p1, -1;\n"
                      "setp.eq.s32 %p2, %r2, 0;\n@%p2 ret;\nret;")
                .branches(),
            "no ");
  EXPECT_EQ(of_kernel("ld.param.u32 %r1, [n];\nshfl.sync.up.b32 %r2, %r1, 1, 0, -1;\nsetp.eq.s32 %p2, %r2, 0;\n@%p2 ret;\nret;").branches(),
            "yes ");
}

// if (tid == 0) x = 1; else x = 2; if (x == 1) ...
TEST(PtxDivergence, ValuesOfBothPathsDifferAtTheirJoin) {
  EXPECT_EQ(of_kernel("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 1;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\nmov.u32 %r2, 2;\n"
                      "L: setp.eq.s32 %p2, %r2, 1;\n@%p2 ret;\nret;")
                .branches(),
            "yes yes ");
}

TEST(PtxDivergence, ValuesFromBeforeTheBranchStayTheSame) {
  EXPECT_EQ(of_kernel("mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\nmov.u32 %r3, 2;\n"
                      "st.global.u32 [4096], %r3;\nL: setp.eq.s32 %p2, %r2, 1;\n@%p2 ret;\nret;")
                .branches(),
            "yes no ");
}

// Lanes leave the loop in different iterations: the counter, the same in each iteration, differs after it.
TEST(PtxDivergence, ValuesAfterADivergentLoopDiffer) {
  const std::string loop =
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nL: add.s32 %r2, %r2, 1;\nadd.s32 %r3, %r2, 7;\nsetp.lt.s32 %p1, %r2, %r1;\n@%p1 bra L;\n";
  EXPECT_EQ(of_kernel(loop + "setp.eq.s32 %p2, %r3, 9;\n@%p2 ret;\nret;").branches(), "yes yes ");
}

TEST(PtxDivergence, ArgumentsOfAFunctionMayDiffer) {
  EXPECT_EQ(Derived(".version 8.0\n.func f(.param .u32 x) { .reg .pred %p1; .reg .u32 %r1; ld.param.u32 %r1, [x];\n"
                    "setp.eq.s32 %p1, %r1, 0; @%p1 ret; ret; }")
                .branches(),
            "yes ");
  EXPECT_EQ(of_kernel("{ .param .b32 back; call.uni (back), f; ld.param.b32 %r1, [back]; }\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 ret;\nret;")
                .branches(),
            "yes ");
}

TEST(PtxDivergence, SaysWhereTheDifferenceComesFrom) {
  const Derived it =
      of_kernel("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.y;\nadd.s32 %r3, %r1, %r2;\nsetp.eq.s32 %p1, %r3, 0;\n@%p1 ret;\nret;");
  const Divergence found = it.diverges();
  ASSERT_EQ(found.branches.size(), 1u);
  EXPECT_EQ(it.module.instructions[found.branches[0].origin].line, 12u);
}

}  // namespace
}  // namespace frx::derive::ptx
