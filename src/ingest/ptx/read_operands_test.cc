// Operands, form by form; the spelling of testing.h shows how they were understood.
#include "ingest/ptx/testing.h"

namespace frx::ingest::ptx {
namespace {

using testing::code_of;

TEST(PtxOperands, RegistersAndNumbers) {
  EXPECT_EQ(code_of("add.s32 %r1, %r2, -5;"), "add.s32 %r1 %r2 -5\n");
  EXPECT_EQ(code_of("mov.u32 %r1, 0x1F; mov.u32 %r1, 017; mov.u32 %r1, 0b101; mov.u32 %r1, 9U;"),
            "mov.u32 %r1 31\nmov.u32 %r1 15\nmov.u32 %r1 5\nmov.u32 %r1 9\n");
  EXPECT_EQ(code_of("mov.u32 %r1, 4294967295;"), "mov.u32 %r1 wide:4294967295\n");
  EXPECT_EQ(code_of("mov.u32 %r1, -2147483648;"), "mov.u32 %r1 -2147483648\n");
  EXPECT_EQ(code_of("mov.f32 %f1, 0f3F800000; mov.f64 %fd1, 0d3FF0000000000000; mov.f64 %fd1, 1.0;"),
            "mov.f32 %f1 real:1065353216\nmov.f64 %fd1 double:4607182418800017408\nmov.f64 %fd1 double:4607182418800017408\n");
}

TEST(PtxOperands, ConstantExpressions) {
  EXPECT_EQ(code_of("mov.u32 %r1, (1 << 4) - 1; mov.u32 %r1, WARP_SZ; mov.u32 %r1, 2 + 3 * 4; mov.u32 %r1, ~0;"),
            "mov.u32 %r1 15\nmov.u32 %r1 32\nmov.u32 %r1 14\nmov.u32 %r1 -1\n");
  EXPECT_EQ(code_of("mov.s32 %r1, 7 > 3 ? 10 : 20; mov.s32 %r1, (.s64) 5 - 8;"), "mov.s32 %r1 10\nmov.s32 %r1 -3\n");
}

// ptxas parses it this way: no name contains a percent sign except as its first character.
TEST(PtxOperands, APercentSignBeginsAName) {
  EXPECT_EQ(code_of("mov.u32%r1,%r2; ld.global.u32%r3,[%rd0];"), "mov.u32 %r1 %r2\nld.global.u32 %r3 address(%rd0)\n");
  EXPECT_EQ(code_of("mov.u32 %r1, 17 % 5; mov.u32 %r1, (7)%(4);"), "mov.u32 %r1 2\nmov.u32 %r1 3\n");
}

TEST(PtxOperands, SpecialRegistersKeepTheirComponent) {
  EXPECT_EQ(code_of("mov.u32 %r1, %tid.x; mov.u64 %rd1, %clock64;"), "mov.u32 %r1 %tid.x\nmov.u64 %rd1 %clock64\n");
}

TEST(PtxOperands, Addresses) {
  EXPECT_EQ(code_of("ld.global.f32 %f1, [%rd4]; ld.global.f32 %f1, [%rd4+16]; ld.global.f32 %f1, [%rd4+-4];"),
            "ld.global.f32 %f1 address(%rd4)\nld.global.f32 %f1 address+16(%rd4)\nld.global.f32 %f1 address-4(%rd4)\n");
  EXPECT_EQ(code_of("ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [a + 4]; ld.global.u32 %r1, [1024];"),
            "ld.param.u64 %rd1 address(a)\nld.param.u32 %r1 address+4(a)\nld.global.u32 %r1 address(1024)\n");
}

TEST(PtxOperands, TheAddressOfASymbolIsAValue) {
  EXPECT_EQ(code_of("mov.u64 %rd1, a; mov.u64 %rd1, a+8; ld.const.u32 %r1, a[3]; ld.const.u32 %r1, a[%r2+1];"),
            "mov.u64 %rd1 a\nmov.u64 %rd1 address-of+8(a)\nld.const.u32 %r1 address-element(a 3)\n"
            "ld.const.u32 %r1 address-element+1(a %r2)\n");
}

TEST(PtxOperands, VectorsPairsAndSinks) {
  EXPECT_EQ(code_of("mov.b64 {%r1, %r2}, %rd1; mov.b64 %rd1, {%r1, 0}; ld.v4.u32 {%r1, _, _, %r4}, [%rd1];"),
            "mov.b64 vector(%r1 %r2) %rd1\nmov.b64 %rd1 vector(%r1 0)\nld.v4.u32 vector(%r1 _ _ %r4) address(%rd1)\n");
  EXPECT_EQ(code_of("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3; shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;"),
            "setp.lt.and.s32 pair(%p1 %p2) %r1 %r2 !%p3\nshfl.sync.bfly.b32 pair(%r1 %p1) %r2 16 31 -1\n");
}

TEST(PtxOperands, PartsOfRegistersInVideoInstructions) {
  EXPECT_EQ(code_of("vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h1; vmad.s32.s32.s32 %r1, -%r2, %r3, %r4;"),
            "vadd.s32.u32.s32.sat %r1 part:b0(%r2) part:h1(%r3)\nvmad.s32.s32.s32 %r1 -%r2 %r3 %r4\n");
}

TEST(PtxOperands, PredicatesBeforeAnInstruction) { EXPECT_EQ(code_of("@%p1 ret; @!%p1 exit;"), "@%p1 ret\n@!%p1 exit\n"); }

TEST(PtxOperands, TexturesAndTensorMaps) {
  EXPECT_EQ(code_of("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];"),
            "tex.2d.v4.f32.f32 vector(%f1 %f2 %f3 %f4) address(%rd1 vector(%f5 %f6))\n");
  EXPECT_EQ(code_of("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];"),
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes address(%r1) "
            "address(%rd1 vector(%r2 %r3)) address(%r4)\n");
}

TEST(PtxOperands, CallsInAllTheirForms) {
  EXPECT_EQ(code_of("call.uni (%r1), f, (%r2, %r3);"), "call.uni list(%r1) f list(%r2 %r3)\n");
  EXPECT_EQ(code_of("call f; call (%r1), %rd1, (%r2), proto;"), "call f\ncall list(%r1) %rd1 list(%r2) proto\n");
  EXPECT_EQ(code_of("call \n (%r1), \n f, \n ( \n %r2 \n ) \n ;"), "call list(%r1) f list(%r2)\n");
}

TEST(PtxOperands, AnOpcodeMayBeWrittenWithSpaces) {
  EXPECT_EQ(code_of("ld .global .u32 %r1, [%rd1];"), "ld.global.u32 %r1 address(%rd1)\n");
}

}  // namespace
}  // namespace frx::ingest::ptx
