#include "report/gpu_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::report {
namespace {

using model::DetectedGpu;
using model::ToldNumber;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const knowledge::GpuCatalogue& sheet_gpus() {
  static const knowledge::Library library = knowledge::Library::builtin();
  static const knowledge::GpuCatalogue catalogue = *knowledge::GpuCatalogue::load(library);
  return catalogue;
}

GpuLookup looked_up(const std::string& name) {
  const Result<GpuLookup> lookup = look_up_gpu(sheet_gpus(), name);
  EXPECT_TRUE(lookup) << name;
  return lookup.value_or(GpuLookup());
}

const SheetNumber& number(const GpuSheet& sheet, std::string_view key) {
  static const SheetNumber missing{"missing", "", "", std::nullopt, ""};
  for (const SheetNumber& one : sheet.specification) {
    if (one.key == key) return one;
  }
  ADD_FAILURE() << "no " << key;
  return missing;
}

GpuHere here(DetectedGpu gpu) { return recognise(sheet_gpus(), {std::move(gpu)}, {}).gpus.at(0); }

DetectedGpu detected_as(std::string name, model::ComputeCapability cc) {
  DetectedGpu gpu;
  gpu.name = std::move(name);
  gpu.cc = cc;
  return gpu;
}

// kdiag 2: the documented fields in their order, with their units.
TEST(GpuSheet, HasTheDocumentedFieldsInTheirOrder) {
  std::vector<std::string> shown;
  for (const SheetNumber& one : looked_up("h100-sxm5-80gb").sheet->specification)
    shown.push_back(fmt::format("{} {}", one.label, one.unit));
  EXPECT_THAT(shown, ::testing::ElementsAre("Peak Memory Bandwidth GB/s", "Peak FP32 Performance TFLOPS", "Peak FP16 Performance TFLOPS",
                                            "Peak BF16 Performance TFLOPS", "SM Count ", "Max Threads per SM ", "L1 Cache per SM KB",
                                            "L2 Cache (Total) MB", "Memory Size GB"));
}

// kdiag 3.1: FP16 of an RTX 4090 is that of its tensor cores, not of its CUDA cores; a GPU without tensor cores has its CUDA cores.
TEST(GpuSheet, HalfPrecisionIsThatOfTheTensorCores) {
  EXPECT_NEAR(*number(*looked_up("rtx4090").sheet, "peak_fp16_tflops").value, 165.2, 0.5);
  EXPECT_THAT(number(*looked_up("rtx4090").sheet, "peak_fp16_tflops").from, StartsWith("tensor cores, FP32 accumulate, dense; "));
  const SheetNumber& of_t4 = number(*looked_up("t4").sheet, "peak_bf16_tflops");
  EXPECT_FALSE(of_t4.value);
  EXPECT_EQ(of_t4.from, "");
}

// cgp D7: 330 TFLOP/s of an RTX 4090 are those with FP16 accumulation, 165 of TF32 those with sparsity.
TEST(GpuSheet, TheRatesOfAnRtx4090AreToldApart) {
  const GpuSheet sheet = *looked_up("rtx4090").sheet;
  const auto rate = [](const std::vector<SheetNumber>& numbers, std::string_view key) -> std::optional<double> {
    for (const SheetNumber& one : numbers) {
      if (one.key == key) return one.value;
    }
    return std::nullopt;
  };
  EXPECT_NEAR(rate(sheet.dense, "fp16_tensor").value_or(0), 165.2, 0.5);
  EXPECT_NEAR(rate(sheet.dense, "fp16_tensor_acc16").value_or(0), 330.3, 0.5);
  EXPECT_NEAR(rate(sheet.dense, "tf32_tensor").value_or(0), 82.6, 0.5);
  EXPECT_NEAR(rate(sheet.sparse, "tf32_tensor").value_or(0), 165.2, 0.5);
}

TEST(GpuSheet, EveryNumberThatIsThereHasASource) {
  for (const GpuCandidate& gpu : list_gpus(sheet_gpus()).gpus) {
    for (const auto* numbers : {&gpu.sheet.specification, &gpu.sheet.dense, &gpu.sheet.sparse, &gpu.sheet.board, &gpu.sheet.limits}) {
      for (const SheetNumber& one : *numbers) EXPECT_EQ(one.value.has_value(), !one.from.empty()) << gpu.sheet.id << " " << one.key;
    }
  }
}

// kdiag 3.2: of a name that fits several nothing is chosen.
TEST(GpuSheet, ANameOfSeveralProductsHasCandidatesAndWhatTheyAgreeOn) {
  const GpuLookup lookup = looked_up("a100");
  EXPECT_FALSE(lookup.sheet);
  EXPECT_EQ(lookup.match.product, nullptr);
  EXPECT_EQ(lookup.candidates.size(), 4u);
  std::vector<std::string_view> keys;
  for (const SheetNumber& one : lookup.agreed) keys.push_back(one.key);
  EXPECT_THAT(keys, ::testing::Contains("peak_fp16_tflops"));
  EXPECT_THAT(keys, ::testing::Not(::testing::Contains("peak_memory_bw_gbps")));
  EXPECT_FALSE(look_up_gpu(sheet_gpus(), "no such GPU"));
}

// kdiag 3.4: H200 reads 4917 GB/s by its clock; the data sheet is preferred.
TEST(GpuHere, PrefersTheDataSheetForTheBandwidth) {
  DetectedGpu gpu = detected_as("NVIDIA H200", {9, 0});
  gpu.memory_clock_mhz = ToldNumber{3201, "CUDA driver"};
  gpu.memory_bus_bits = ToldNumber{6144, "CUDA driver"};
  gpu.sm_count = ToldNumber{132, "CUDA driver"};
  gpu.l2_bytes = ToldNumber{62914560, "CUDA driver"};
  const GpuHere one = here(gpu);
  EXPECT_EQ(one.product, sheet_gpus().with_id("h200-sxm"));
  EXPECT_EQ(number(one.sheet, "peak_memory_bw_gbps").value, 4800);
  EXPECT_NEAR(*one.bandwidth_by_clock_gbps, 4917, 1);
  EXPECT_EQ(number(one.sheet, "sm_count").from, "CUDA driver");
  EXPECT_EQ(number(one.sheet, "l2_cache_mb").value, 60);
  EXPECT_EQ(one.spec_source, "data sheet");
}

// kdiag 3.4, cgp D6, cgp R5: for an unknown GPU there is what follows from its own attributes, and no tensor peak.
TEST(GpuHere, DerivesWhatItCanOfAnUnknownGpu) {
  DetectedGpu gpu = detected_as("NVIDIA GeForce RTX 9990", {12, 0});
  EXPECT_FALSE(number(here(gpu).sheet, "peak_fp32_tflops").value);
  gpu.sm_count = ToldNumber{100, "CUDA driver"};
  gpu.sm_clock_mhz = ToldNumber{2500, "CUDA driver"};
  gpu.memory_clock_mhz = ToldNumber{14000, "CUDA driver"};
  gpu.memory_bus_bits = ToldNumber{512, "CUDA driver"};
  const GpuHere one = here(gpu);
  EXPECT_EQ(one.product, nullptr);
  EXPECT_NEAR(*number(one.sheet, "peak_fp32_tflops").value, 64, 1e-9);
  EXPECT_THAT(number(one.sheet, "peak_fp32_tflops").from, StartsWith("derived: 100 SMs x 128 multiply-adds x 2 x 2500 MHz"));
  EXPECT_EQ(number(one.sheet, "peak_memory_bw_gbps").value, 1792);
  EXPECT_FALSE(number(one.sheet, "peak_fp16_tflops").value);
  EXPECT_EQ(one.spec_source, "driver");
  EXPECT_FALSE(all_known(recognise(sheet_gpus(), {gpu}, {})));
}

// kdiag 3.3: "NVIDIA A100-PG509-200", seen in a real trace, by (8.0, 108 SMs, 42 GB).
TEST(GpuHere, RecognisesAnEngineeringNameByAttributes) {
  DetectedGpu gpu = detected_as("NVIDIA A100-PG509-200", {8, 0});
  gpu.sm_count = ToldNumber{108, "CUDA driver"};
  gpu.memory_bytes = ToldNumber{42298834944, "CUDA driver"};
  EXPECT_EQ(here(gpu).product, sheet_gpus().with_id("a100-sxm4-40gb"));
}

// kdiag 3.3
TEST(GpuHere, WithholdsThePeaksOfAMigInstance) {
  DetectedGpu gpu = detected_as("NVIDIA A100-SXM4-40GB MIG 1g.5gb", {8, 0});
  gpu.sm_count = ToldNumber{14, "CUDA driver"};
  const GpuHere one = here(gpu);
  EXPECT_TRUE(one.is_mig);
  EXPECT_FALSE(number(one.sheet, "peak_fp16_tflops").value);
  EXPECT_THAT(number(one.sheet, "peak_fp16_tflops").from, HasSubstr("withheld"));
  EXPECT_TRUE(one.sheet.dense.empty());
  EXPECT_EQ(one.spec_source, "");
}

// kdiag 3.2: the driver prints the name of a family, and nothing else is known.
TEST(GpuHere, DoesNotAssumeTheLikeliestOfSeveral) {
  const GpuHere one = here(detected_as("NVIDIA H100", {9, 0}));
  EXPECT_EQ(one.product, nullptr);
  EXPECT_FALSE(number(one.sheet, "peak_fp16_tflops").value);
  EXPECT_EQ(number(one.sheet, "max_threads_per_sm").value, 2048);
}

}  // namespace
}  // namespace frx::report
