#include "derive/ptx/memory_access.h"

#include "derive/ptx/testing.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;
using ingest::ptx::testing::kernel;
using testing::Derived;

// The first access of a kernel; `body` ends with it. %rd1: a pointer, %r1: tid.x, %r2: tid.y, %r3: the parameter n.
MemoryAccess access_of(const std::string& body, BlockShape block = {256, 1, 1}) {
  const Derived it(
      kernel("ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nld.param.u32 %r3, [n];\n" + body + "\nret;"));
  LaunchFacts facts;
  facts.block = block;
  const std::vector<MemoryAccess> all = memory_accesses(it.module, it.function, facts);
  EXPECT_FALSE(all.empty());
  return all.empty() ? MemoryAccess{} : all.front();
}

// A load of a[index], of which %r9 is the index.
std::string load(const std::string& index, const std::string& form = "ld.global.f32 %f1", int bytes = 4) {
  return index + "\nmul.wide.s32 %rd2, %r9, " + std::to_string(bytes) + ";\nadd.s64 %rd3, %rd1, %rd2;\n" + form + ", [%rd3];";
}

// The same of shared memory.
std::string shared(const std::string& index, const std::string& form = "ld.shared.f32 %f1", int bytes = 4) {
  return ".shared .align 16 .b8 tile[8448];\nmov.u32 %r10, tile;\n" + index + "\nmad.lo.s32 %r11, %r9, " + std::to_string(bytes) +
         ", %r10;\n" + form + ", [%r11];";
}

MemoryAnalysis analysis_of(const Derived& it) {
  Vocabulary words(it.module);
  words.enter(it.module, it.function);
  const Dominators tree = dominators(it.graph);
  const Loops loops = find_loops(it.graph, tree);
  return MemoryAnalysis(it.module, it.function, words, it.graph, tree, loops, it.uses, it.live, it.diverges());
}

std::uint32_t typical(const MemoryAccess& access) { return access.cost ? access.cost->typical : 0; }
std::uint32_t worst(const MemoryAccess& access) { return access.cost ? access.cost->worst : 0; }

TEST(PtxMemoryAccess, AdjacentThreadsReadAdjacentNumbers) {
  const MemoryAccess access = access_of(load("mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmad.lo.s32 %r9, %r4, %r5, %r1;"));
  EXPECT_EQ(access.kind, AccessKind::affine);
  EXPECT_EQ(access.space, model::Space::global);
  EXPECT_EQ(access.lane_stride, 4);
  EXPECT_EQ(access.formula, "a + 4*tid.x + 4*ctaid.x*ntid.x");
  EXPECT_EQ(typical(access), 4u);
  EXPECT_EQ(worst(access), 4u);
  EXPECT_TRUE(access.cost->exact);
  EXPECT_EQ(access.sentence, "adjacent threads are 4 bytes apart: 4 sectors of 32 bytes");
}

// for (stride = 1; stride < n; stride *= 2) { i = 2 * stride * tid; if (i < bound) s[i]; }
std::string interleaved(const std::string& body) {
  return ".shared .align 16 .b8 tile[8448];\nmov.u32 %r10, tile;\nmov.u32 %r4, 1;\nLOOP:\n" + body +
         "\nSKIP:\nbar.sync 0;\nshl.b32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, %r3;\n@%p2 bra LOOP;";
}

TEST(PtxMemoryAccess, AStrideThatDoublesIsAPowerOfTwo) {
  const std::string index = "shl.b32 %r5, %r4, 1;\nmul.lo.s32 %r6, %r5, %r1;\n";
  const std::string use = "shl.b32 %r8, %r6, 2;\nadd.s32 %r9, %r10, %r8;\nld.shared.f32 %f1, [%r9];";
  const MemoryAccess all = access_of(interleaved(index + use));
  EXPECT_EQ(all.sentence.substr(0, all.sentence.find(':')), "adjacent threads are 8*u bytes apart");
  EXPECT_EQ(typical(all), 32u);  // where the stride is 16
  EXPECT_FALSE(all.cost->exact);
  EXPECT_EQ(all.fix.kind, AccessFix::none);
  // With 256 elements the stride of 16 leaves eight threads, and no stride more.
  const MemoryAccess few = access_of(interleaved(index + "setp.ge.u32 %p1, %r6, 256;\n@%p1 bra SKIP;\n" + use));
  EXPECT_EQ(typical(few), 8u);
  EXPECT_EQ(worst(few), 8u);
  EXPECT_FALSE(few.cost->exact);
}

TEST(PtxMemoryAccess, AStrideThatDoublesBetweenTwoOperandsIsNoConflict) {
  const std::string body =
      "setp.ge.u32 %p1, %r1, %r4;\n@%p1 bra SKIP;\nadd.s32 %r6, %r1, %r4;\nshl.b32 %r8, %r6, 2;\nadd.s32 %r9, %r10, %r8;\n"
      "ld.shared.f32 %f1, [%r9];";
  EXPECT_EQ(typical(access_of(interleaved(body))), 1u);
  EXPECT_EQ(worst(access_of(interleaved(body))), 1u);
}

TEST(PtxMemoryAccess, AStrideThatDoublesInAMaskIsFollowed) {
  // 2 * tid - (tid & (stride - 1)), as a bitonic sort has it: two threads ask each bank.
  const std::string body =
      "sub.s32 %r5, %r4, 1;\nand.b32 %r6, %r1, %r5;\nshl.b32 %r7, %r1, 1;\nsub.s32 %r7, %r7, %r6;\nshl.b32 %r8, %r7, 2;\n"
      "add.s32 %r9, %r10, %r8;\nld.shared.f32 %f1, [%r9];";
  EXPECT_EQ(typical(access_of(interleaved(body))), 2u);
}

TEST(PtxMemoryAccess, AStrideThatIsAParameterIsSaidAsSuch) {
  const MemoryAccess access = access_of(load("mul.lo.s32 %r9, %r1, %r3;"));
  EXPECT_EQ(access.stride, "4*n");
  EXPECT_EQ(access.lane_stride, std::nullopt);
  EXPECT_FALSE(access.cost->exact);
  EXPECT_EQ(access.sentence, "adjacent threads are 4*n bytes apart: 32 sectors of 32 bytes where 4 would do");
}

TEST(PtxMemoryAccess, KnownParametersMakeItSharp) {
  const Derived it(
      kernel("ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nld.param.u32 %r3, [n];\nmul.lo.s32 %r4, %r1, %r3;\n"
             "mul.wide.s32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.f32 %f1, [%rd3];\nret;"));
  LaunchFacts facts;
  facts.block = {256, 1, 1};
  facts.parameters = {{1, 0, 2}};
  const std::vector<MemoryAccess> all = memory_accesses(it.module, it.function, facts);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].cost->typical, 8u);
  EXPECT_TRUE(all[0].cost->exact);
  EXPECT_EQ(all[0].lane_stride, 8);
}

TEST(PtxMemoryAccess, WhereItBeginsMayCostOneSectorMore) {
  // a[n + tid]: nothing is known of n but that floats are aligned.
  const MemoryAccess access = access_of(load("add.s32 %r9, %r1, %r3;"));
  EXPECT_EQ(typical(access), 4u);
  EXPECT_EQ(worst(access), 5u);
  EXPECT_TRUE(access.cost->exact);
}

TEST(PtxMemoryAccess, OneStructureAfterTheOther) {
  const MemoryAccess access = access_of(load("mov.u32 %r9, %r1;", "ld.global.f32 %f1", 12));
  EXPECT_EQ(typical(access), 12u);
  EXPECT_EQ(access.cost->ideal, 4u);
  EXPECT_EQ(access.fix.kind, AccessFix::separate_members);
}

TEST(PtxMemoryAccess, AVectorOfFourIsSixteenSectorsAtBest) {
  const MemoryAccess access = access_of(load("mov.u32 %r9, %r1;", "ld.global.v4.f32 {%f1, %f2, %f3, %f4}", 16));
  EXPECT_EQ(access.bytes, 16u);
  EXPECT_EQ(typical(access), 16u);
  EXPECT_EQ(access.cost->ideal, 16u);
}

TEST(PtxMemoryAccess, ThreadsAlongYDependOnTheShape) {
  // a[tid.x * n + tid.y]
  const std::string column = load("mad.lo.s32 %r9, %r1, %r3, %r2;");
  EXPECT_EQ(typical(access_of(column, {32, 8, 1})), 32u);
  EXPECT_EQ(access_of(column, {32, 8, 1}).fix.kind, AccessFix::swap_indices);
  EXPECT_EQ(typical(access_of(column, {1, 256, 1})), 4u);
  EXPECT_EQ(typical(access_of(load("mad.lo.s32 %r9, %r2, %r3, %r1;"), {16, 16, 1})), 4u);
}

TEST(PtxMemoryAccess, AColumnOfATileHasAllItsBanksInOne) {
  const MemoryAccess access = access_of(shared("mad.lo.s32 %r9, %r1, 32, %r2;"), {32, 8, 1});
  EXPECT_EQ(access.space, model::Space::shared);
  EXPECT_EQ(typical(access), 32u);
  EXPECT_EQ(access.cost->excess(), 31u);
  EXPECT_EQ(access.fix.kind, AccessFix::pad_rows);
  EXPECT_EQ(access.fix.padding, 1u);
  EXPECT_EQ(access.fix.row_bytes, 128u);
  EXPECT_EQ(access.sentence,
            "adjacent threads are 128 bytes apart: 32 wavefronts where 1 would do; with 1 element of padding behind "
            "every 128 bytes: 1");
}

TEST(PtxMemoryAccess, APaddedColumnHasNoConflict) {
  EXPECT_EQ(typical(access_of(shared("mad.lo.s32 %r9, %r1, 33, %r2;"), {32, 8, 1})), 1u);
}

TEST(PtxMemoryAccess, LanesThatReadTheSameWordDoNotConflict) {
  const MemoryAccess access = access_of(shared("mov.u32 %r9, %r2;"), {32, 8, 1});
  EXPECT_EQ(typical(access), 1u);
  EXPECT_EQ(access.lane_stride, 0);
}

TEST(PtxMemoryAccess, WideAccessesGoByHalvesAndQuartersOfAWarp) {
  EXPECT_EQ(typical(access_of(shared("mov.u32 %r9, %r1;", "ld.shared.f64 %fd1", 8))), 2u);
  EXPECT_EQ(access_of(shared("mov.u32 %r9, %r1;", "ld.shared.f64 %fd1", 8)).cost->excess(), 0u);
  EXPECT_EQ(typical(access_of(shared("mov.u32 %r9, %r1;", "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}", 16))), 4u);
}

TEST(PtxMemoryAccess, MasksAndShiftsAreWorkedOutForEachLane) {
  // Lane number and warp number by hand: a[(tid & 31) * 3 + (tid >> 5) * 1024]
  const MemoryAccess access =
      access_of(load("and.b32 %r4, %r1, 31;\nshr.u32 %r5, %r1, 5;\nshl.b32 %r6, %r5, 10;\nmad.lo.s32 %r9, %r4, 3, %r6;"));
  EXPECT_EQ(access.kind, AccessKind::known_per_lane);
  EXPECT_EQ(access.lane_stride, 12);
  EXPECT_EQ(typical(access), 12u);
}

TEST(PtxMemoryAccess, OnlyThreadsThatGetThereCount) {
  const std::string guarded = "setp.gt.s32 %p1, %r1, 15;\n@%p1 bra L;\n" + load("mov.u32 %r9, %r1;") + "\nL:";
  EXPECT_EQ(typical(access_of(guarded)), 2u);
  EXPECT_EQ(access_of(guarded).cost->warps, 1u);
  EXPECT_EQ(typical(access_of(load("mov.u32 %r9, %r1;\nsetp.lt.s32 %p1, %r1, 8;", "@%p1 ld.global.f32 %f1"))), 1u);
}

TEST(PtxMemoryAccess, ALoopThatStepsByTheGridStaysAligned) {
  const MemoryAccess access = access_of(
      "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmov.u32 %r6, %nctaid.x;\nmad.lo.s32 %r9, %r4, %r5, "
      "%r1;\nmul.lo.s32 %r7, %r5, %r6;\n"
      "L: " +
      load("") + "\nadd.s32 %r9, %r9, %r7;\nsetp.lt.s32 %p1, %r9, %r3;\n@%p1 bra L;");
  EXPECT_EQ(access.loop_depth, 1u);
  EXPECT_EQ(access.formula, "a + 4*tid.x + 4*ctaid.x*ntid.x + 4*ntid.x*nctaid.x*round");
  EXPECT_EQ(worst(access), 4u);
  EXPECT_TRUE(access.cost->exact);
}

TEST(PtxMemoryAccess, APointerThatMovesBySomethingUniformKeepsItsLanes) {
  // The step is read from memory, the same for all threads.
  const MemoryAccess access = access_of(
      "mul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nL: ld.global.f32 %f1, [%rd3];\nld.global.u32 %r4, "
      "[%rd1];\n"
      "mul.wide.s32 %rd4, %r4, 128;\nadd.s64 %rd3, %rd3, %rd4;\nsetp.lt.s32 %p1, %r4, %r3;\n@%p1 bra L;");
  EXPECT_EQ(access.kind, AccessKind::affine);
  EXPECT_EQ(access.lane_stride, 4);
  EXPECT_EQ(worst(access), 4u);
}

// Lanes leave the loop in different iterations: after it the counter is not the same for all of them.
TEST(PtxMemoryAccess, ValuesAfterADivergentLoopAreUnknown) {
  const MemoryAccess access = access_of("mov.u32 %r9, 0;\nL: add.s32 %r9, %r9, 1;\nsetp.lt.s32 %p1, %r9, %r1;\n@%p1 bra L;\n" + load(""));
  EXPECT_EQ(access.kind, AccessKind::unknown);
  EXPECT_FALSE(access.cost.has_value());
}

TEST(PtxMemoryAccess, WhatIsReadIsNotKnown) {
  const Derived it(
      kernel("ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
             "ld.global.u32 %r9, [%rd3];\nmul.wide.s32 %rd4, %r9, 4;\nadd.s64 %rd5, %rd1, %rd4;\nld.global.f32 %f1, "
             "[%rd5];\nret;"));
  LaunchFacts facts;
  facts.block = {256, 1, 1};
  const std::vector<MemoryAccess> all = memory_accesses(it.module, it.function, facts);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].kind, AccessKind::affine);
  EXPECT_EQ(all[1].kind, AccessKind::data_dependent);
  EXPECT_EQ(all[1].formula, "a + 4*data");
}

// A thread before the first one: a register without sign wraps around, and far away is where thread 0 reads.
TEST(PtxMemoryAccess, RegistersWrapAsTheHardwareDoes) {
  const MemoryAccess access =
      access_of("add.s32 %r9, %r1, -1;\nmul.wide.u32 %rd2, %r9, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.f32 %f1, [%rd3+4];", {32, 1, 1});
  EXPECT_EQ(access.lane_stride, std::nullopt);
  EXPECT_EQ(typical(access), 5u);
}

// Found by the oracle: twice a number with its highest bit but one set is small again in a register of 32 bits.
TEST(PtxMemoryAccess, AddressesOfSharedMemoryWrapToo) {
  const MemoryAccess access = access_of(
      ".shared .align 16 .b8 tile[8448];\nmov.u32 %r10, tile;\nsub.s32 %r4, %r1, %r2;\nshr.u32 %r5, %r4, 1;\n"
      "mad.lo.s32 %r6, %r5, 2, %r10;\nmad.lo.s32 %r8, %r2, 4, %r6;\nld.shared.u16 %r7, [%r8];",
      {4, 8, 1});
  EXPECT_EQ(typical(access), 1u);
}

// Found by the oracle: -tid.x without sign wraps around, and that was forgotten when the counter proved to be 0.
TEST(PtxMemoryAccess, ACounterThatStandsStillIsNotTakenForKnown) {
  const MemoryAccess access = access_of(
      "mov.u32 %r4, 0;\nL: sub.s32 %r5, %r4, %r1;\nmul.wide.u32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
      "ld.global.f32 %f1, [%rd3];\nadd.s32 %r4, %r4, 0;\nsetp.lt.s32 %p1, %r4, %r3;\n@%p1 bra L;");
  EXPECT_EQ(access.formula, "a - 4*tid.x + 4*u");
}

TEST(PtxMemoryAccess, CopiesToSharedMemoryAreTwoAccesses) {
  const Derived it(
      kernel(".shared .align 16 .b8 tile[4096];\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\n"
             "mad.lo.s32 %r3, %r1, 16, %r2;\nmul.wide.u32 %rd2, %r1, 16;\nadd.s64 %rd3, %rd1, %rd2;\n"
             "cp.async.cg.shared.global [%r3], [%rd3], 16;\nret;"));
  LaunchFacts facts;
  facts.block = {128, 1, 1};
  const std::vector<MemoryAccess> all = memory_accesses(it.module, it.function, facts);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].space, model::Space::shared);
  EXPECT_EQ(all[0].type, AccessType::store);
  EXPECT_EQ(all[0].cost->excess(), 0u);
  EXPECT_EQ(all[1].space, model::Space::global);
  EXPECT_EQ(all[1].cost->typical, 16u);
}

// Rows of 128 bytes: eight lanes name the rows of one matrix, all in the same banks.
TEST(PtxMemoryAccess, RowsOfMatricesAreReadByEightLanesAtATime) {
  const MemoryAccess access =
      access_of(shared("mov.u32 %r9, %r1;", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}", 128), {32, 1, 1});
  EXPECT_EQ(typical(access), 32u);
  EXPECT_EQ(access.cost->ideal, 4u);
  EXPECT_EQ(access.fix.padding, 1u);
}

TEST(PtxMemoryAccess, LocalMemoryLiesSideBySideForTheLanes) {
  const MemoryAccess access = access_of(".local .align 8 .b8 own[64];\nmov.u32 %r10, own;\nld.local.f32 %f1, [%r10+8];");
  EXPECT_EQ(access.kind, AccessKind::uniform);
  EXPECT_EQ(typical(access), 4u);
}

// Where an address lies in its sector matters, which sector it is does not.
TEST(PtxMemoryAccess, WhatIsWholeSectorsApartIsOneRequest) {
  const Derived it(
      kernel("ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
             "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+64];\nld.global.f32 %f3, [%rd3+-32];\n"
             "ld.global.f32 %f4, [%rd3+4];\nld.global.f64 %fd1, [%rd3];\nret;"));
  const MemoryAnalysis analysis = analysis_of(it);
  ASSERT_EQ(analysis.size(), 5u);
  EXPECT_EQ(analysis.request_number(1), analysis.request_number(0));
  EXPECT_EQ(analysis.request_number(2), analysis.request_number(0));
  EXPECT_NE(analysis.request_number(3), analysis.request_number(0));
  EXPECT_NE(analysis.request_number(4), analysis.request_number(0));
  LaunchFacts facts;
  facts.block = {256, 1, 1};
  const std::vector<MemoryAccess> accesses = analysis.accesses(facts);
  EXPECT_EQ(accesses[1].formula, "a + 4*tid.x + 64");
  EXPECT_EQ(typical(accesses[1]), 4u);
  EXPECT_EQ(typical(accesses[3]), 5u);
}

TEST(PtxMemoryAccess, ShapesAreThoseTheKernelDemandsOrUses) {
  const auto shapes = [](const std::string& text) { return analysis_of(Derived(text)).plausible_shapes(); };
  EXPECT_EQ(shapes(kernel("ret;")), (std::vector<BlockShape>{{256, 1, 1}}));
  EXPECT_EQ(shapes(".version 8.0\n.target sm_80\n.entry k(.param .u64 a) .reqntid 64, 2 { ret; }"), (std::vector<BlockShape>{{64, 2, 1}}));
  EXPECT_EQ(shapes(kernel("mov.u32 %r1, %tid.y;\nshl.b32 %r2, %r1, 2;\nld.shared.f32 %f1, [%r2];\nret;")).front(), (BlockShape{32, 8, 1}));
}

}  // namespace
}  // namespace frx::derive::ptx
