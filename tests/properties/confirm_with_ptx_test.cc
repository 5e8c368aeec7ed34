// What PTX says of the lines of a finding in CUDA source: confirmed, withdrawn, or nothing.
#include <gtest/gtest.h>

#include "report/code_analyst.h"
#include "report/confirm_with_ptx.h"

namespace frx::testing {
namespace {

const report::CodeAnalyst& analyst() {
  static const std::unique_ptr<report::CodeAnalyst> one = report::CodeAnalyst::create({}).value();
  return *one;
}

// Line 2 walks down a column.
constexpr const char* source = R"(__global__ void column(const float* in, float* out, int n) {
  float x = in[threadIdx.x * 1024];
  if (threadIdx.x < n) out[threadIdx.x] = x;
}
)";

// The load of line `line` of column.cu, whose lanes are `stride` bytes apart.
std::string ptx(int line, int stride) {
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
  std::unique_ptr<report::CudaReport> report = analyst().inspect_cuda({{"src/column.cu", source}}).value();
  report::confirm_with_ptx(*report, *analyst().analyse_ptx("column.ptx", text).value());
  return report;
}

const model::CodeFinding* uncoalesced(const report::CudaReport& report) {
  for (const model::CodeFinding& finding : report.findings) {
    if (finding.code == "uncoalesced_access") return &finding;
  }
  return nullptr;
}

TEST(ConfirmWithPtx, SaysWhatTheCompiledAccessNeeds) {
  const auto report = confirmed(ptx(2, 4096));
  ASSERT_TRUE(uncoalesced(*report));
  EXPECT_EQ(uncoalesced(*report)->confidence, "high");
  EXPECT_NE(uncoalesced(*report)->message.find("Confirmed by PTX: adjacent threads are 4096 bytes apart"), std::string::npos)
      << uncoalesced(*report)->message;
}

TEST(ConfirmWithPtx, WithdrawsWhatTheCompiledAccessDoesNotShow) {
  const auto report = confirmed(ptx(2, 4));
  EXPECT_FALSE(uncoalesced(*report));
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_NE(report->notes[0].find("uncoalesced_access at column.cu:2 withdrawn"), std::string::npos) << report->notes[0];
}

TEST(ConfirmWithPtx, LeavesWhatPtxSaysNothingAbout) {
  const auto report = confirmed(ptx(3, 4));
  ASSERT_TRUE(uncoalesced(*report));
  EXPECT_EQ(uncoalesced(*report)->message.find("PTX"), std::string::npos);
}

}  // namespace
}  // namespace frx::testing
