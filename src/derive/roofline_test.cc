#include "derive/roofline.h"

#include <gtest/gtest.h>

#include "frx_generated/metric_ids.h"

namespace frx::derive {
namespace {

model::Readings measured(std::initializer_list<std::pair<model::Metric, double>> values) {
  model::Readings readings;
  for (const auto& [metric, value] : values) readings.set(metric, {value, model::Origin::measured, 0, 0, ""});
  return readings;
}

TEST(Roofline, IsWithheldWhereTensorWorkWasNotCounted) {
  // A product on the tensor cores whose epilogue does some FP32.
  const Roofline roofline = roofline_of(measured({{metrics::kernel_duration, 1e6},
                                                  {metrics::flops_fp32, 1e9},
                                                  {metrics::dram_bytes, 1e8},
                                                  {metrics::tensor_pct, 62},
                                                  {metrics::bandwidth_pct, 30},
                                                  {metrics::compute_pct, 65}}),
                                        Device());
  EXPECT_TRUE(roofline.points.empty());
  EXPECT_FALSE(roofline.mfu_pct);
  EXPECT_EQ(roofline.region, "compute_bound") << "the percentages still tell";
  EXPECT_NE(roofline.explanation.find("withheld: the tensor cores are active for 62.0 %"), std::string::npos) << roofline.explanation;
}

TEST(Roofline, CountsTheOperationsOfAllPipesThatWereCounted) {
  const Roofline roofline = roofline_of(measured({{metrics::kernel_duration, 1e6},
                                                  {metrics::flops_fp32, 1e9},
                                                  {metrics::tensor_ops_bf16_fp32, 3e11},
                                                  {metrics::tensor_ops_bf16_bf16, 1e11},
                                                  {metrics::dram_bytes, 1e8},
                                                  {metrics::tensor_pct, 62}}),
                                        Device());
  ASSERT_EQ(roofline.points.size(), 2u);
  EXPECT_EQ(roofline.main()->precision, "bf16_tensor");
  EXPECT_DOUBLE_EQ(roofline.main()->intensity, 4000) << "accumulated in FP32 and in BF16 together";
  EXPECT_EQ(roofline.points[1].precision, "fp32");
}

TEST(Roofline, ALittleTensorActivityIsNoReasonToWithhold) {
  const Roofline roofline = roofline_of(
      measured({{metrics::kernel_duration, 1e6}, {metrics::flops_fp32, 1e9}, {metrics::dram_bytes, 1e8}, {metrics::tensor_pct, 0.0}}),
      Device());
  EXPECT_EQ(roofline.main()->precision, "fp32");
}

TEST(Roofline, AnUnknownCountIsNotZero) {
  const Roofline roofline = roofline_of(measured({{metrics::kernel_duration, 1e6}, {metrics::dram_bytes, 1e8}}), Device());
  EXPECT_TRUE(roofline.points.empty());
  EXPECT_EQ(roofline.basis, Roofline::Basis::none);
}

Device a_gpu(const knowledge::SmLimits& limits, double sms) {
  Device device;
  device.match.limits = &limits;
  device.sm_count = sms;
  return device;
}

const knowledge::SmLimits& limits_of_hopper() {
  static const knowledge::GpuCatalogue gpus = knowledge::GpuCatalogue::load(knowledge::Library::builtin()).value();
  return *gpus.limits({9, 0});
}

TEST(Roofline, TensorWorkOfAKnownTypeIsEstimatedFromItsPipes) {
  const model::Readings readings = measured({{metrics::kernel_duration, 1e6},
                                             {metrics::flops_fp32, 1e9},
                                             {metrics::dram_bytes, 1e8},
                                             {metrics::tensor_pct, 50},
                                             {metrics::tensor_cycles_gpu_pct, 40},
                                             {metrics::sm_frequency, 1e9}});
  const Device h100 = a_gpu(limits_of_hopper(), 100);
  const Roofline bf16 = roofline_of(readings, h100, "bf16_tensor");
  EXPECT_EQ(bf16.basis, Roofline::Basis::estimated);
  ASSERT_EQ(bf16.points.size(), 1u);
  // 4096 operations per clock and SM, for 1 ms of a 1 GHz clock on 100 SMs, 40 % of it.
  EXPECT_DOUBLE_EQ(bf16.main()->intensity, 0.4 * 4096 * 1e6 * 100 / 1e8);
  EXPECT_NE(bf16.explanation.find("tensor pipes, which were busy for 40.0 %"), std::string::npos) << bf16.explanation;
  EXPECT_DOUBLE_EQ(roofline_of(readings, h100, "tf32_tensor").main()->intensity, bf16.main()->intensity / 2);
  EXPECT_TRUE(roofline_of(readings, h100, "").points.empty()) << "the type is not known";
  EXPECT_TRUE(roofline_of(readings, Device(), "bf16_tensor").points.empty()) << "nor is the GPU";
}

TEST(Roofline, CountedOperationsComeBeforeAnEstimate) {
  const Roofline roofline = roofline_of(measured({{metrics::kernel_duration, 1e6},
                                                  {metrics::tensor_ops_bf16_fp32, 3e11},
                                                  {metrics::dram_bytes, 1e8},
                                                  {metrics::tensor_pct, 50},
                                                  {metrics::tensor_cycles_gpu_pct, 40},
                                                  {metrics::sm_frequency, 1e9}}),
                                        a_gpu(limits_of_hopper(), 100), "bf16_tensor");
  EXPECT_EQ(roofline.basis, Roofline::Basis::measured);
  EXPECT_DOUBLE_EQ(roofline.main()->intensity, 3000);
}

TEST(Roofline, ABusyL1IsMemory) {
  const auto region = [](double bandwidth, double compute, double l1) {
    return roofline_of(measured({{metrics::bandwidth_pct, bandwidth}, {metrics::compute_pct, compute}, {metrics::l1_pct, l1}}), Device())
        .region;
  };
  EXPECT_EQ(region(7, 7, 99.6), "memory_bound");
  EXPECT_EQ(region(7, 7, 20), "latency_bound");
  EXPECT_EQ(region(7, 90, 80), "compute_bound");
}

}  // namespace
}  // namespace frx::derive
