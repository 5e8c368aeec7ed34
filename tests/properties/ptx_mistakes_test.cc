// What is easily got wrong about PTX: each case of the list of known mistakes, with our right answer.
#include <gtest/gtest.h>

#include <algorithm>

#include "ingest/ptxas_log.h"
#include "report/code_analyst.h"

namespace frx::testing {
namespace {

using report::CodeAnalyst;
using report::PtxReport;

const CodeAnalyst& ptx_analyst(const std::string& gpu = "") {
  static std::map<std::string, std::unique_ptr<CodeAnalyst>> all;
  std::unique_ptr<CodeAnalyst>& one = all[gpu];
  if (!one) one = CodeAnalyst::create({.data_directory = {}, .gpu_model = gpu, .arch_profile = {}}).value();
  return *one;
}

std::unique_ptr<PtxReport> analysed(const std::string& body, const std::string& gpu = "") {
  return ptx_analyst(gpu).analyse_ptx("k.ptx", ".version 8.4\n.target sm_86\n.address_size 64\n" + body).value();
}

const model::Finding* finding(const PtxReport& report, std::string_view code) {
  const auto at = std::ranges::find(report.diagnosis.findings, code, &model::Finding::id);
  return at == report.diagnosis.findings.end() ? nullptr : &*at;
}

// A kernel of this body, which may use the named registers.
std::string kernel(const std::string& body, const std::string& directives = "") {
  return ".visible .entry k(.param .u64 p)\n" + directives +
         "{\n.reg .pred %p<9>;\n.reg .b32 %r<999>;\n.reg .f32 %f<99>;\n.reg .f64 %fd<9>;\n.reg .b64 %rd<99>;\n" + body + "ret;\n}\n";
}

TEST(PtxMistakes, D1_KernelsOfEveryLinkageAreFound) {
  const auto report = analysed(".entry a() { ret; }\n.weak .entry b() { ret; }\n.visible .entry c() { ret; }\n.extern .entry d();\n");
  EXPECT_EQ(report->diagnosis.kernels.size(), 3u);  // d has no body here
}

TEST(PtxMistakes, D2_AnArrayOnTheStackIsNoSpill) {
  const auto report = analysed(kernel(".local .align 4 .b8 depot[32];\nst.local.u32 [depot], %r1;\nld.local.u32 %r2, [depot+4];\n"));
  EXPECT_FALSE(finding(*report, "register_spills_detected"));
  EXPECT_TRUE(finding(*report, "local_stack_use"));
  ASSERT_EQ(report->diagnosis.labels.size(), 1u);
  EXPECT_EQ(report->diagnosis.labels[0].id(), "ptx_register_spills");
  EXPECT_EQ(report->diagnosis.labels[0].proof, model::Proof::unproven);
  EXPECT_EQ(report->diagnosis.primary, "");
}

TEST(PtxMistakes, D2_LaunchBoundsThatLeaveTooFewRegistersSpillWithoutAnyLocalMemory) {
  std::string body;
  for (int i = 0; i < 60; ++i) body += "ld.global.f32 %f" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
  for (int i = 0; i < 60; ++i) body += "st.global.f32 [%rd2+" + std::to_string(4 * i) + "], %f" + std::to_string(59 - i) + ";\n";
  const auto report = analysed(kernel(body, ".maxntid 768, 1, 1\n.minnctapersm 2\n"));
  EXPECT_EQ(report->diagnosis.kernels[0].facts.register_budget, 40u);
  EXPECT_TRUE(finding(*report, "register_spills_likely"));
  EXPECT_EQ(report->diagnosis.primary, "ptx_register_spills");
  EXPECT_FALSE(finding(*analysed(kernel(body)), "register_spills_likely"));
}

// 1024 threads twice are more than an SM of Turing holds: ptxas ignores the second bound there.
TEST(PtxMistakes, D2_BlocksThatDoNotFitAreNotAskedFor) {
  const std::string body = kernel("", ".maxntid 1024, 1, 1\n.minnctapersm 2\n");
  EXPECT_EQ(analysed(body, "A100")->diagnosis.kernels[0].facts.register_budget, 32u);
  EXPECT_EQ(analysed(body, "T4")->diagnosis.kernels[0].facts.register_budget, 64u);
  EXPECT_EQ(analysed(body)->diagnosis.kernels[0].facts.register_budget, 64u);  // 1536 threads on sm_86
}

TEST(PtxMistakes, D2_TheCompilerHasTheLastWord) {
  const auto said = [](const char* spills) {
    return [spills](const std::string&) -> Result<diagnose::CompiledKernels> {
      return report::compiled_in_log(
          ingest::read_ptxas_log(
              "ptxas info : Compiling entry function 'k' for 'sm_86'\nptxas info : Function properties for k\n 0 bytes stack frame, " +
              std::string(spills) + " bytes spill stores, 0 bytes spill loads\nptxas info : Used 29 registers\n"),
          "", "ptxas");
    };
  };
  const std::string ptx = ".version 8.4\n.target sm_86\n" + kernel(".local .align 4 .b8 depot[32];\nst.local.u32 [depot], %r1;\n");
  const auto none = ptx_analyst().analyse_ptx("k.ptx", ptx, said("0")).value();
  EXPECT_TRUE(none->diagnosis.labels.empty());
  const auto many = ptx_analyst().analyse_ptx("k.ptx", ptx, said("540")).value();
  EXPECT_EQ(many->diagnosis.primary, "ptx_register_spills");
  EXPECT_EQ(many->diagnosis.labels[0].proof, model::Proof::proven);
  EXPECT_EQ(many->confidence, "high");
}

// 998 registers are declared; two are needed.
TEST(PtxMistakes, D3_DeclaredRegistersSayNothing) {
  const auto report = analysed(kernel("mov.u32 %r1, %tid.x;\nadd.s32 %r998, %r1, 1;\nst.global.u32 [%rd1], %r998;\n"));
  EXPECT_GT(report->diagnosis.kernels[0].facts.virtual_registers, 998u);
  EXPECT_LE(report->max_registers(), 12u);
  EXPECT_FALSE(finding(*report, "very_high_register_count"));
  EXPECT_FALSE(finding(*report, "high_register_count"));
}

TEST(PtxMistakes, D4_InstructionsAreWhatTheyAre) {
  const auto report = analysed(
      kernel("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f5,%f6,%f7,%f8};\n"
             "rcp.approx.f32 %f1, %f2;\ntanh.approx.f32 %f3, %f4;\nadd.f16x2 %r1, %r2, %r3;\n// a comment is no instruction\n"
             "ld.volatile.global.u32 %r7, [%rd1];\nld.relaxed.gpu.global.u32 %r8, [%rd1];\n@!%p1 bra END;\ncp.async.ca.shared.global "
             "[%r1], [%rd1], 16;\nEND:\n"));
  const derive::ptx::KernelFacts& facts = report->diagnosis.kernels[0].facts;
  using model::ptx::Category;
  EXPECT_EQ(facts.of(Category::tensor), 1u);
  EXPECT_EQ(facts.of(Category::sfu), 2u);
  EXPECT_EQ(facts.of(Category::fp16), 1u);
  EXPECT_EQ(facts.of(Category::global_load), 3u);
  EXPECT_EQ(facts.conditional_branches, 1u);
  EXPECT_EQ(facts.instructions, 9u);  // ret with them
}

TEST(PtxMistakes, D5_WithoutSharedMemoryNothingIsWrongYet) {
  const auto report =
      analysed(kernel("ld.global.f32 %f1, [%rd1];\nfma.rn.f32 %f2, %f1, %f3, %f4;\nfma.rn.f32 %f5, %f2, %f3, %f4;\n"
                      "fma.rn.f32 %f6, %f5, %f3, %f4;\nadd.f32 %f7, %f6, %f1;\nst.global.f32 [%rd2], %f7;\n"));
  const model::Finding* found = finding(*report, "no_shared_memory_usage");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, model::Severity::low);
  EXPECT_TRUE(report->diagnosis.labels.empty());
  EXPECT_TRUE(report->advice.recommendations.empty());
}

TEST(PtxMistakes, D6_WhatIsNoPtxIsRefused) {
  for (const char* text : {"", "hello", "int main() {}", "\xff\xfe\x00"}) {
    EXPECT_FALSE(ptx_analyst().analyse_ptx("k.ptx", text)) << text;
  }
}

TEST(PtxMistakes, D6_Fp64IsCheapWhereItRunsAtHalfRate) {
  const std::string body = kernel("add.f64 %fd1, %fd2, %fd3;\nst.global.f64 [%rd1], %fd1;\n");
  EXPECT_EQ(finding(*analysed(body), "fp64_detected")->severity, model::Severity::medium);
  EXPECT_EQ(finding(*analysed(body, "A100"), "fp64_detected")->severity, model::Severity::low);
  EXPECT_EQ(finding(*analysed(body, "RTX 4090"), "fp64_detected")->severity, model::Severity::medium);
}

}  // namespace
}  // namespace frx::testing
