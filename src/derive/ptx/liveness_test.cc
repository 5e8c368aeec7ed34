#include "derive/ptx/testing.h"

namespace frx::derive::ptx {
namespace {

using testing::Derived;
using testing::of_kernel;

// Four loads, summed: the values, each with nothing else to keep.
TEST(PtxLiveness, CountsWhatIsNeededAtOnce) {
  const Derived it = of_kernel(
      "ld.param.u64 %rd1, [a];\nld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\nld.global.f32 %f3, [%rd1+8];\n"
      "add.f32 %f4, %f1, %f2;\nadd.f32 %f5, %f4, %f3;\nst.global.f32 [%rd1], %f5;\nret;");
  EXPECT_TRUE(it.live.pressure.known);
  EXPECT_EQ(it.live.pressure.registers, 3u);  // the parameter costs nothing
  EXPECT_EQ(it.module.instructions[it.live.pressure.instruction].line, 14u);
}

TEST(PtxLiveness, ValuesOf64BitsCountTwiceAndPredicatesApart) {
  const Derived it = of_kernel(
      "ld.global.f64 %fd1, [4096];\nld.global.u32 %r1, [4096];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 st.global.f64 [4096], %fd1;\nret;");
  EXPECT_EQ(it.live.pressure.registers, 3u);
  EXPECT_EQ(it.live.pressure.predicates, 1u);
}

TEST(PtxLiveness, AValueLivesAroundALoop) {
  const Derived it = of_kernel(
      "ld.global.u32 %r1, [4096];\nld.global.u32 %r2, [4096];\nmov.u32 %r3, 0;\n"
      "L: add.s32 %r3, %r3, %r1;\nsetp.lt.s32 %p1, %r3, 100;\n@%p1 bra L;\nadd.s32 %r4, %r2, %r3;\nst.global.u32 [4096], %r4;\nret;");
  EXPECT_EQ(it.live.pressure.registers, 3u);
  EXPECT_EQ(it.live.live_in[1].size(), 3u);
}

// Control goes up the text, block by block, as no compiler writes it: values are then followed one by one.
TEST(PtxLiveness, AValueLivesThroughAChainThatRunsBackwards) {
  std::string body = "ld.global.u32 %r1, [4096];\nbra L19;\nL0: st.global.u32 [4096], %r1;\nret;\n";
  for (int i = 1; i < 20; ++i) body += "L" + std::to_string(i) + ": bra L" + std::to_string(i - 1) + ";\n";
  const Derived it = of_kernel(body);
  ASSERT_TRUE(it.live.pressure.known);
  ASSERT_EQ(it.graph.blocks.size(), 21u);
  EXPECT_EQ(it.live.live_in[0].size(), 0u);
  for (std::size_t block = 1; block < 21; ++block) EXPECT_EQ(it.live.live_in[block].size(), 1u) << block;
}

TEST(PtxLiveness, AnUnusedResultTakesARegisterForAMoment) {
  EXPECT_EQ(of_kernel("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [4096];\nret;").live.pressure.registers, 4u);
}

TEST(PtxLiveness, AWriteThatMayNotHappenKeepsTheOldValue) {
  const Derived it = of_kernel(
      "ld.global.u32 %r1, [4096];\nld.global.u32 %r2, [4096];\nsetp.eq.s32 %p1, %r2, 0;\n@%p1 mov.u32 %r1, %r2;\n"
      "st.global.u32 [4096], %r1;\nret;");
  EXPECT_EQ(it.live.pressure.registers, 2u);
}

// The address is a wide copy of what is kept anyway; only where it is used it takes two registers more.
TEST(PtxLiveness, WhatIsCheapToComputeAgainIsNotKept) {
  const std::string index = "ld.global.u32 %r1, [4096];\nmul.wide.u32 %rd1, %r1, 4;\n";
  const std::string uses = "bar.sync 0;\nst.global.u32 [%rd1], %r1;\nst.global.u32 [%rd2], %r1;\nst.global.u32 [%rd3], %r1;\nret;";
  const Derived cheap = of_kernel(index + "add.s64 %rd2, %rd1, 64;\nadd.s64 %rd3, %rd1, 128;\n" + uses);
  EXPECT_EQ(cheap.live.pressure.registers, 5u);  // the index, and two addresses where one is made of the other
  const Derived dear = of_kernel(index + "div.s64 %rd2, %rd1, 64;\ndiv.s64 %rd3, %rd1, 128;\n" + uses);
  EXPECT_EQ(dear.live.pressure.registers, 7u);  // the index, two quotients, and the address in hand
}

TEST(PtxLiveness, AnAddressOfParametersAloneCostsNothingWhileItIsKept) {
  const Derived it = of_kernel(
      "ld.param.u64 %rd1, [a];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u32 %r1, [4096];\nld.global.u32 %r2, [4096];\n"
      "ld.global.u32 %r3, [4096];\nadd.s32 %r4, %r1, %r2;\nadd.s32 %r5, %r4, %r3;\nst.global.u32 [%rd2], %r5;\nret;");
  EXPECT_EQ(it.live.pressure.registers, 3u);
}

TEST(PtxLiveness, ACounterOfALoopIsNotComputedAgain) {
  const Derived it = of_kernel(
      "mov.u32 %r1, 0;\nld.global.u32 %r2, [4096];\nL: add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra L;\n"
      "st.global.u32 [4096], %r1;\nret;");
  EXPECT_EQ(it.live.pressure.registers, 2u);
}

TEST(PtxLiveness, TheEstimateAddsWhatTheCompilerTakesAndEndsAtTheMost) {
  EXPECT_EQ(estimated_registers({.registers = 20}), 23u);
  EXPECT_EQ(estimated_registers({.registers = 20, .for_loads = 8}), 31u);
  EXPECT_EQ(estimated_registers({.registers = 20, .for_loads = 100}), 39u);
  EXPECT_EQ(estimated_registers({.registers = 500}), 255u);
}

TEST(PtxLiveness, IndependentLoadsCanBeInFlightTogether) {
  const auto loads = [](const std::string& between) {
    return of_kernel("ld.param.u64 %rd1, [a];\nld.global.u64 %rd2, [%rd1];\n" + between +
                     "ld.global.v2.f32 {%f1, %f2}, [%rd1+8];\nld.global.f32 %f3, [%rd2];\nret;")
        .live.pressure.for_loads;
  };
  EXPECT_EQ(loads(""), 4u);  // not the last one, whose address is loaded
  EXPECT_EQ(loads("st.local.u32 [%rd1], 1;\n"), 4u);
  EXPECT_EQ(loads("st.global.u32 [%rd1], 1;\n"), 3u);
  EXPECT_EQ(loads("bar.sync 0;\n"), 3u);
}

TEST(PtxLiveness, CallsWriteWhatStandsBeforeTheName) {
  const Derived it = of_kernel("call (%r1), f, (%r2, %r3);\nst.global.u32 [4096], %r1;\nret;");
  const auto uses = it.uses.of(it.function.instructions.begin);
  ASSERT_EQ(uses.size(), 3u);
  EXPECT_FALSE(uses[0].written);
  EXPECT_FALSE(uses[1].written);
  EXPECT_TRUE(uses[2].written);
}

TEST(PtxLiveness, DeclarationsWithoutEndCostNothing) {
  const Derived it(".version 8.0\n.entry k() { .reg .b32 %r<4000000000>; mov.u32 %r3999999999, %r7; ret; }");
  EXPECT_EQ(it.uses.count(), 2u);
  EXPECT_EQ(it.uses.declared(1), 3999999999u);
}

}  // namespace
}  // namespace frx::derive::ptx
