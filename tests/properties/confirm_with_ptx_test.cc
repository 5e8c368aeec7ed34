// What PTX says of the lines of a finding in CUDA source: confirmed, withdrawn, or nothing.
#include <gtest/gtest.h>

#include "base/text.h"
#include "report/code_analyst.h"
#include "report/confirm_with_ptx.h"

namespace frx::testing {
namespace {

const report::CodeAnalyst& confirming_analyst() {
  static const std::unique_ptr<report::CodeAnalyst> one = report::CodeAnalyst::create({.pedantic = true}).value();
  return *one;
}

// Line 2 walks down a column.
constexpr const char* column_source = R"(__global__ void column(const float* in, float* out, int n) {
  float x = in[threadIdx.x * 1024];
  if (threadIdx.x < n) out[threadIdx.x] = x;
}
)";

// The load of line `line` of column.cu, whose lanes are `stride` bytes apart.
std::string ptx_with_access(int line, int stride) {
  return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.file 1 "/src/column.cu"
.visible .entry _Z6columnPKfPfi(.param .u64 p0, .param .u64 p1, .param .u32 p2)
{{
  .reg .b32 %r<3>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [p0];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, {};
  add.s64 %rd4, %rd2, %rd3;
  .loc 1 {} 3
  ld.global.u32 %r2, [%rd4];
  st.global.u32 [%rd2], %r2;
  ret;
}}
)",
                     stride, line);
}

std::unique_ptr<report::CudaReport> confirmed(const std::string& text) {
  std::unique_ptr<report::CudaReport> report = confirming_analyst().inspect_cuda({{"src/column.cu", column_source}}).value();
  report::confirm_with_ptx(*report, *confirming_analyst().analyse_ptx("column.ptx", text).value());
  return report;
}

const model::Finding* uncoalesced(const report::CudaReport& report) {
  for (const model::Finding& finding : report.findings) {
    if (finding.id() == "uncoalesced_access") return &finding;
  }
  return nullptr;
}

TEST(ConfirmWithPtx, SaysWhatTheCompiledAccessNeeds) {
  const auto report = confirmed(ptx_with_access(2, 4096));
  ASSERT_TRUE(uncoalesced(*report));
  EXPECT_EQ(uncoalesced(*report)->confidence, "high");
  EXPECT_NE(uncoalesced(*report)->message.view().find("Confirmed by PTX: adjacent threads are 4096 bytes apart"), std::string::npos)
      << uncoalesced(*report)->message.view();
}

TEST(ConfirmWithPtx, ConfirmsOnceHoweverOftenAHeaderIsCompiled) {
  const auto report = confirmed(ptx_with_access(2, 4096));
  const std::string once(uncoalesced(*report)->message.view());
  report::confirm_with_ptx(*report, *confirming_analyst().analyse_ptx("other.ptx", ptx_with_access(2, 4)).value());
  ASSERT_TRUE(uncoalesced(*report));
  EXPECT_EQ(uncoalesced(*report)->message.view(), once);
}

TEST(ConfirmWithPtx, WithdrawsWhatTheCompiledAccessDoesNotShow) {
  const auto report = confirmed(ptx_with_access(2, 4));
  EXPECT_FALSE(uncoalesced(*report));
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_NE(report->notes[0].find("uncoalesced_access at column.cu:2 withdrawn"), std::string::npos) << report->notes[0];
}

TEST(ConfirmWithPtx, LeavesWhatPtxSaysNothingAbout) {
  const auto report = confirmed(ptx_with_access(3, 4));
  ASSERT_TRUE(uncoalesced(*report));
  EXPECT_EQ(uncoalesced(*report)->message.view().find("PTX"), std::string::npos);
}

// A source, its PTX from kernel.cu, and what is left of them.
std::unique_ptr<report::CudaReport> held(const std::string& cuda, const std::string& body, const std::string& name = "_Z1kPfi") {
  std::unique_ptr<report::CudaReport> report = confirming_analyst().inspect_cuda({{"src/kernel.cu", cuda}}).value();
  const std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"/src/kernel.cu\"\n.visible .entry " + name +
                           "(.param .u64 p0, .param .u32 p1)\n{\n" + body + "}\n";
  report::confirm_with_ptx(*report, *confirming_analyst().analyse_ptx("kernel.ptx", text).value());
  return report;
}

const model::Finding* found(const report::CudaReport& report, std::string_view code) {
  for (const model::Finding& finding : report.findings) {
    if (finding.id() == code) return &finding;
  }
  return nullptr;
}

std::string notes(const report::CudaReport& report) { return join(report.notes, "\n"); }

constexpr const char* odd_lanes = R"(__global__ void k(float* a, int n) {
  if (threadIdx.x % 2) a[threadIdx.x] = n;
  else a[threadIdx.x] = 1;
}
)";

// What a compiler makes of odd_lanes: a branch of its line, or a selection.
std::string odd_lanes_ptx(std::string_view way) {
  return fmt::format(R"(  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p0];
  ld.param.u32 %r4, [p1];
  mov.u32 %r1, %tid.x;
  .loc 1 2 3
  and.b32 %r2, %r1, 1;
  setp.eq.u32 %p1, %r2, 0;
{}
DONE:
  ret;
)",
                     way);
}
constexpr const char* a_branch = "  @%p1 bra DONE;\n  st.global.u32 [%rd1], %r4;";
constexpr const char* a_selection = "  selp.b32 %r3, 1, %r4, %p1;\n  st.global.u32 [%rd1], %r3;";

TEST(ConfirmWithPtx, AConditionPartsLanesWhereABranchIsLeft) {
  const auto report = held(odd_lanes, odd_lanes_ptx(a_branch));
  ASSERT_TRUE(found(*report, "warp_divergence"));
  EXPECT_TRUE(
      found(*report, "warp_divergence")->message.view().ends_with("Confirmed by PTX: a branch of this line may diverge within a warp."));
  EXPECT_EQ(found(*report, "warp_divergence")->confidence, "high");
}

TEST(ConfirmWithPtx, AConditionThatBecameASelectionPartsNobody) {
  const auto report = held(odd_lanes, odd_lanes_ptx(a_selection));
  EXPECT_FALSE(found(*report, "warp_divergence"));
  EXPECT_NE(notes(*report).find("warp_divergence at kernel.cu:2 withdrawn: in PTX no branch of this line parts the lanes"),
            std::string::npos)
      << notes(*report);
}

// The branch has lost its line: it may be the one in question.
TEST(ConfirmWithPtx, ABranchOfAnUnknownLineDecidesNothing) {
  const auto report = held(odd_lanes, odd_lanes_ptx(std::string(a_selection) + "\n  .loc 1 0 0\n" + a_branch));
  ASSERT_TRUE(found(*report, "warp_divergence"));
  EXPECT_EQ(found(*report, "warp_divergence")->message.view().find("PTX"), std::string::npos);
}

TEST(ConfirmWithPtx, AKernelOfAnotherNameOrFileDecidesNothing) {
  const auto named = held(odd_lanes, odd_lanes_ptx(a_selection), "_Z5otherPfi");
  EXPECT_TRUE(found(*named, "warp_divergence"));
  std::unique_ptr<report::CudaReport> filed = confirming_analyst().inspect_cuda({{"src/elsewhere.cu", odd_lanes}}).value();
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"/src/kernel.cu\"\n.visible .entry _Z1kPfi(.param .u64 p0, "
      ".param .u32 p1)\n{\n" +
      odd_lanes_ptx(a_selection) + "}\n";
  report::confirm_with_ptx(*filed, *confirming_analyst().analyse_ptx("kernel.ptx", text).value());
  EXPECT_TRUE(found(*filed, "warp_divergence"));
}

constexpr const char* narrow = R"(__global__ void k(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = a[i] * 2;
}
)";

std::string copy_ptx(std::string_view load, std::string_view store) {
  return fmt::format(
      "  .reg .b32 %r<9>;\n  .reg .b64 %rd<5>;\n  ld.param.u64 %rd1, [p0];\n  mov.u32 %r1, %tid.x;\n"
      "  mul.wide.u32 %rd2, %r1, 16;\n  add.s64 %rd3, %rd1, %rd2;\n  .loc 1 3 3\n  {}\n  {}\n  ret;\n",
      load, store);
}

TEST(ConfirmWithPtx, AccessesAreAsWideAsTheCompilerMadeThem) {
  const auto wide =
      held(narrow, copy_ptx("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd3];", "st.global.v4.u32 [%rd3], {%r2, %r3, %r4, %r5};"));
  EXPECT_FALSE(found(*wide, "missing_vectorized_loads"));
  EXPECT_NE(notes(*wide).find("withdrawn: in PTX its accesses move 16 or more bytes per lane"), std::string::npos) << notes(*wide);
  const auto as_written = held(narrow, copy_ptx("ld.global.u32 %r2, [%rd3];", "st.global.u32 [%rd3], %r2;"));
  ASSERT_TRUE(found(*as_written, "missing_vectorized_loads"));
  EXPECT_NE(
      found(*as_written, "missing_vectorized_loads")->message.view().find("no access of these lines moves more than 4 bytes per lane"),
      std::string::npos);
  const auto mixed = held(narrow, copy_ptx("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd3];", "st.global.u32 [%rd3], %r2;"));
  ASSERT_TRUE(found(*mixed, "missing_vectorized_loads"));
  EXPECT_EQ(found(*mixed, "missing_vectorized_loads")->message.view().find("PTX"), std::string::npos);
}

constexpr const char* much = R"(__global__ void k(float* a, int n) {
  float v[256];
  for (int i = 0; i < 256; ++i) v[i] = a[i * n];
  float sum = 0;
  for (int i = 0; i < 256; ++i) sum += v[i] * v[255 - i];
  a[threadIdx.x] = sum;
}
)";

TEST(ConfirmWithPtx, RegistersAreThoseOfTheCompiledKernel) {
  const std::string few =
      "  .reg .b32 %r<3>;\n  .reg .b64 %rd<3>;\n  .loc 1 3 3\n  ld.param.u64 %rd1, [p0];\n  mov.u32 %r1, %tid.x;\n"
      "  st.global.u32 [%rd1], %r1;\n  ret;\n";
  const auto withdrawn = held(much, few);
  EXPECT_FALSE(found(*withdrawn, "high_register_pressure"));
  EXPECT_NE(notes(*withdrawn).find("registers do, which allows all threads of an SM"), std::string::npos) << notes(*withdrawn);

  std::string loads, stores;
  for (int i = 0; i < 70; ++i) {
    loads += fmt::format("  ld.volatile.global.u32 %r{}, [%rd1+{}];\n", i + 2, 4 * i);
    stores += fmt::format("  st.global.u32 [%rd1+{}], %r{};\n", 4 * i, i + 2);
  }
  const auto kept =
      held(much, "  .reg .b32 %r<80>;\n  .reg .b64 %rd<3>;\n  .loc 1 3 3\n  ld.param.u64 %rd1, [p0];\n" + loads + stores + "  ret;\n");
  ASSERT_TRUE(found(*kept, "high_register_pressure"));
  EXPECT_NE(found(*kept, "high_register_pressure")->message.view().find("Confirmed by PTX: values that fill 7"), std::string::npos);
  EXPECT_EQ(found(*kept, "high_register_pressure")->confidence, "medium");

  const auto local = held(much, "  .local .align 16 .b8 depot[256];\n" + few);
  ASSERT_TRUE(found(*local, "high_register_pressure"));
  EXPECT_NE(found(*local, "high_register_pressure")->message.view().find("256 bytes of each thread lie in local memory"),
            std::string::npos);
}

TEST(ConfirmWithPtx, BranchesOfWhichNonePartsLanesAreNotTooMany) {
  std::string cuda = "__global__ void k(float* a, int n) {\n  float x = a[threadIdx.x];\n", same, apart;
  for (int i = 0; i < 8; ++i) {
    cuda += fmt::format("  if (x > {}) x += {};\n", 10 * i, i);
    same += fmt::format("  setp.gt.u32 %p1, %r2, {0};\n  @%p1 bra L{0};\n  st.global.u32 [%rd1], %r2;\nL{0}:\n", i);
    apart += fmt::format("  setp.gt.u32 %p1, %r1, {0};\n  @%p1 bra L{0};\n  st.global.u32 [%rd1], %r2;\nL{0}:\n", i);
  }
  cuda += "  a[threadIdx.x] = x;\n}\n";
  const std::string head =
      "  .reg .pred %p<2>;\n  .reg .b32 %r<3>;\n  .reg .b64 %rd<3>;\n  .loc 1 3 3\n  ld.param.u64 %rd1, [p0];\n"
      "  ld.param.u32 %r2, [p1];\n  mov.u32 %r1, %tid.x;\n";
  const auto withdrawn = held(cuda, head + same + "  ret;\n");
  EXPECT_FALSE(found(*withdrawn, "excessive_branching"));
  EXPECT_NE(notes(*withdrawn).find("no branch of the kernel parts the lanes of a warp"), std::string::npos) << notes(*withdrawn);
  EXPECT_TRUE(found(*held(cuda, head + apart + "  ret;\n"), "excessive_branching"));
}

TEST(ConfirmWithPtx, AProductOnTheTensorCoresIsNotOutsideOfThem) {
  const std::string cuda = R"(__global__ void k(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + column];
  c[row * n + column] = sum;
}
)";
  const std::string head = "  .reg .b32 %r<9>;\n  .reg .f32 %f<9>;\n  .loc 1 4 3\n";
  const std::string mma =
      "  mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, "
      "%f7, %f8};\n  ret;\n";
  const auto withdrawn = held(cuda, head + mma);
  EXPECT_FALSE(found(*withdrawn, "fp32_only_matmul"));
  EXPECT_NE(notes(*withdrawn).find("withdrawn: in PTX the kernel uses the tensor cores"), std::string::npos) << notes(*withdrawn);
  EXPECT_TRUE(found(*held(cuda, head + "  fma.rn.f32 %f1, %f2, %f3, %f1;\n  ret;\n"), "fp32_only_matmul"));
}

// Fewer values than a thread has registers for are no finding until the compiler says that they cost something.
TEST(ConfirmWithPtx, WhatIsUnconfirmedIsShownOnceItIsConfirmed) {
  const std::unique_ptr<report::CodeAnalyst> analyst = report::CodeAnalyst::create({.pedantic = true}).value();
  std::string some = much;
  for (std::size_t at = some.find("25"); at != some.npos; at = some.find("25", at)) some.replace(at, 2, "4");  // 256 is 46, 255 is 45
  const auto report = analyst->inspect_cuda({{"src/kernel.cu", some}}).value();
  EXPECT_FALSE(found(*report, "high_register_pressure"));
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"/src/kernel.cu\"\n.visible .entry _Z1kPfi(.param .u64 p0, "
      ".param .u32 p1)\n{\n  .local .align 16 .b8 depot[256];\n  .reg .b32 %r<3>;\n  .reg .b64 %rd<3>;\n  .loc 1 3 3\n"
      "  ld.param.u64 %rd1, [p0];\n  mov.u32 %r1, %tid.x;\n  st.global.u32 [%rd1], %r1;\n  ret;\n}\n";
  report::confirm_with_ptx(*report, *analyst->analyse_ptx("kernel.ptx", text).value());
  EXPECT_TRUE(found(*report, "high_register_pressure"));
}

// What --pedantic would show is shown without it when the compiler agrees.
TEST(ConfirmWithPtx, AWithheldFindingIsShownWhenItIsConfirmed) {
  const std::unique_ptr<report::CodeAnalyst> analyst = report::CodeAnalyst::create({}).value();
  const std::string body =
      "  .local .align 16 .b8 depot[256];\n  .reg .b32 %r<3>;\n  .reg .b64 %rd<3>;\n  .loc 1 3 3\n  ld.param.u64 %rd1, [p0];\n"
      "  mov.u32 %r1, %tid.x;\n  st.global.u32 [%rd1], %r1;\n  ret;\n";
  const auto report = analyst->inspect_cuda({{"src/kernel.cu", much}}).value();
  EXPECT_FALSE(found(*report, "high_register_pressure"));
  const std::size_t withheld = report->withheld.size();
  ASSERT_GE(withheld, 1u);
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"/src/kernel.cu\"\n.visible .entry _Z1kPfi(.param .u64 p0, "
      ".param .u32 p1)\n{\n" +
      body + "}\n";
  report::confirm_with_ptx(*report, *analyst->analyse_ptx("kernel.ptx", text).value());
  ASSERT_TRUE(found(*report, "high_register_pressure"));
  EXPECT_EQ(report->withheld.size(), withheld - 1);
}

}  // namespace
}  // namespace frx::testing
