// F25: however a GPU is called, the same rules hold for its code.
#include <gtest/gtest.h>

#include "report/code_analyst.h"

namespace frx::testing {
namespace {

// Enough live scalars for the rule of most GPUs, not for that of Hopper.
std::string many_scalars() {
  std::string body = "__global__ void many(const float* a, float* out) {\n";
  for (int i = 0; i < 26; ++i) body += fmt::format("  float v{} = a[threadIdx.x + {}];\n", i, 128 * i);
  body += "  out[threadIdx.x] = v0";
  for (int i = 1; i < 26; ++i) body += fmt::format(" * v{}", i);
  return body + ";\n}\n";
}

std::vector<std::string> codes_on(const std::string& gpu) {
  const auto analyst = report::CodeAnalyst::create({.data_directory = {}, .gpu_model = gpu, .arch_profile = {}, .pedantic = true}).value();
  std::vector<std::string> codes;
  const std::unique_ptr<report::CudaReport> report = analyst->inspect_cuda({{"many.cu", many_scalars()}}).value();
  for (const auto* findings : {&report->findings, &report->withheld}) {
    for (const model::Finding& finding : *findings) codes.emplace_back(finding.id());
  }
  return codes;
}

TEST(GpuNames, OfOneGpuLeadToTheSameFindings) {
  for (const char* name : {"h100", "NVIDIA H100", "NVIDIA H100 80GB HBM3", "sm_90"}) EXPECT_EQ(codes_on(name), codes_on("H100")) << name;
  for (const char* name : {"NVIDIA A100-SXM4-80GB", "sm_80"}) EXPECT_EQ(codes_on(name), codes_on("A100")) << name;
  EXPECT_NE(codes_on("H100"), codes_on("A100"));
}

TEST(GpuNames, ThatAreUnknownAreRefused) {
  const auto analyst = report::CodeAnalyst::create({.data_directory = {}, .gpu_model = "Voodoo 2", .arch_profile = {}});
  ASSERT_FALSE(analyst);
  EXPECT_NE(analyst.error().message.find("Voodoo 2"), std::string::npos);
}

}  // namespace
}  // namespace frx::testing
