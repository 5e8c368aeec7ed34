#include "knowledge/gpu_overrides.h"

#include <gtest/gtest.h>

namespace frx::knowledge {
namespace {

const GpuCatalogue& gpus_to_override() {
  static const Library library = Library::builtin();
  static const GpuCatalogue catalogue = *GpuCatalogue::load(library);
  return catalogue;
}

GpuProfile applied(const std::string& yaml, const std::string& model) {
  const Result<GpuOverrides> overrides = GpuOverrides::parse("mine.yaml", yaml);
  EXPECT_TRUE(overrides) << to_string(overrides.error());
  GpuQuery query;
  query.name = model;
  const Result<GpuProfile> profile = overrides->apply(match_gpu(gpus_to_override(), query), model);
  EXPECT_TRUE(profile) << to_string(profile.error());
  return *profile;
}

std::string override_refusal(const std::string& yaml) {
  const Result<GpuOverrides> overrides = GpuOverrides::parse("mine.yaml", yaml);
  return overrides ? "accepted" : to_string(overrides.error());
}

TEST(GpuOverrides, LayTopLevelScalarsOverEveryGpu) {
  const GpuProfile profile = applied("peak_fp32_tflops: 60\npeak_fp16_tflops: 900\npeak_bandwidth_gbps: 3000\nsm_count: 100\n", "h100");
  EXPECT_EQ(profile.product.peak_tflops("fp32"), 60);
  EXPECT_EQ(profile.product.peak_tflops("fp16_tensor"), 900);
  EXPECT_EQ(profile.product.memory_bandwidth_gbps, 3000);
  EXPECT_EQ(profile.product.sm_count, 100);
  EXPECT_EQ(profile.product.id, "h100-sxm5-80gb");
  EXPECT_EQ(profile.overridden[0], "peak_fp32_tflops = 60 (mine.yaml:1)");
  EXPECT_NE(profile.product.provenance("fp32").find("overridden in mine.yaml:1"), std::string::npos);
}

TEST(GpuOverrides, ApplyAProfileToItsOwnGpuOnly) {
  const std::string yaml = "profiles:\n  H100: {memory_bandwidth_gbps: 3300}\nrtx 4090:\n  memory_bandwidth_gbps: 1000\n";
  EXPECT_EQ(applied(yaml, "NVIDIA H100 80GB HBM3").product.memory_bandwidth_gbps, 3300);
  EXPECT_EQ(applied(yaml, "RTX4090").product.memory_bandwidth_gbps, 1000);
  EXPECT_EQ(applied(yaml, "t4").product.memory_bandwidth_gbps, 320);
}

TEST(GpuOverrides, LetTheCapabilityWinOverTheModelAndTheTopLevelOverBoth) {
  const std::string yaml = "sm_90: {l2_mb: 2, tdp_w: 2}\nh100: {l2_mb: 1, tdp_w: 1, sm_count: 1}\ntdp_w: 3\n";
  const GpuProduct product = applied(yaml, "h100").product;
  EXPECT_EQ(product.sm_count, 1);
  EXPECT_EQ(product.l2_mb, 2);
  EXPECT_EQ(product.tdp_w, 3);
}

TEST(GpuOverrides, ReachTheLimitsOfTheSmToo) {
  const GpuProfile profile =
      applied("sm_86: {max_blocks_per_sm: 8, threads_per_sm: 1024, supports_fp8: true, static_smem_limit: 1000}\n", "sm_86");
  ASSERT_TRUE(profile.limits);
  EXPECT_EQ(profile.limits->blocks_per_sm, 8u);
  EXPECT_EQ(profile.limits->warps_per_sm, 32u);
  EXPECT_TRUE(profile.limits->has("fp8"));
  EXPECT_EQ(profile.limits->classifier["static_smem_limit"], 1000);
}

TEST(GpuOverrides, CollectClassifierThresholds) {
  const GpuProfile profile =
      applied("classifier_thresholds: {ncu_occupancy_low_pct: 30}\nh100:\n  classifier_thresholds: {input_bound_ratio: 0.3}\n", "h100");
  EXPECT_EQ(profile.classifier_thresholds, (std::map<std::string, double>{{"input_bound_ratio", 0.3}, {"ncu_occupancy_low_pct", 30}}));
}

TEST(GpuOverrides, GiveAnUnknownGpuThePeaksTheyState) {
  const GpuProfile profile = applied("peak_fp32_tflops: 10\n", "my own gpu");
  EXPECT_EQ(profile.product.peak_tflops("fp32"), 10);
  EXPECT_FALSE(profile.limits);
  EXPECT_FALSE(profile.product.memory_bandwidth_gbps);
}

TEST(GpuOverrides, RefuseATextWhereANumberBelongs) {
  EXPECT_EQ(override_refusal("a100:\n  peak_fp32_tflops: fast\n"), "mine.yaml:2: expected a number as 'peak_fp32_tflops', found 'fast'");
  EXPECT_EQ(override_refusal("classifier_thresholds: {x: [1]}\n"), "mine.yaml:1: expected a number as 'x', found a list");
  EXPECT_EQ(override_refusal("sm_count: -3\n"), "mine.yaml:1: expected a number as 'sm_count', found '-3'");
  EXPECT_EQ(override_refusal("sm_count: .nan\n"), "mine.yaml:1: expected a number as 'sm_count', found '.nan'");
  EXPECT_EQ(override_refusal("sm_80: {registers_per_sm: 0}\n"),
            "mine.yaml:1: expected a whole number above 0 as 'registers_per_sm', found '0'");
  EXPECT_EQ(override_refusal("sm_80: {supports_fp8: maybe}\n"), "mine.yaml:1: expected true or false as 'supports_fp8', found 'maybe'");
}

TEST(GpuOverrides, RefuseAFileThatIsNotAMap) {
  EXPECT_NE(override_refusal("- 1\n").find("expected a map of fields and profiles"), std::string::npos);
  EXPECT_NE(override_refusal("").find("expected a map of fields and profiles"), std::string::npos);
  EXPECT_NE(override_refusal("profiles: 3\n").find("expected a map of profiles as 'profiles', found '3'"), std::string::npos);
  EXPECT_NE(override_refusal("profiles: {h100: 3}\n").find("expected a map of fields as 'h100', found '3'"), std::string::npos);
  EXPECT_FALSE(GpuOverrides::load("/nowhere/mine.yaml", Thresholds()));
}

TEST(GpuOverrides, NoteAFieldThatNobodyKnows) {
  const GpuProfile profile = applied("peak_fp32_tflop: 60\n", "h100");
  ASSERT_EQ(profile.notes.size(), 1u);
  EXPECT_EQ(profile.notes[0], "mine.yaml:1: no field 'peak_fp32_tflop' is known, it has no effect; did you mean peak_fp32_tflops?");
}

}  // namespace
}  // namespace frx::knowledge
