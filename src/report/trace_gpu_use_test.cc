#include "report/trace_gpu_use.h"

#include <gtest/gtest.h>

#include "report/expertise.h"

namespace frx::report {
namespace {

const knowledge::GpuProduct* a100() {
  static const std::shared_ptr<const Expertise> expertise = Expertise::load("").value();
  knowledge::GpuQuery query;
  query.name = "NVIDIA A100-SXM4-80GB";
  return knowledge::match_gpu(expertise->knowledge().gpus, query).product;
}

// A product of this many operations and elements per call.
derive::trace::Product product(std::string type, double flops, double elements, std::int64_t ns) {
  derive::trace::Product one;
  one.type = std::move(type);
  one.of_call = {flops, elements};
  one.calls = 1;
  one.gpu_ns = ns;
  one.element_bytes = 2;
  return one;
}

TEST(ProductRate, IsOfThePeakOfItsType) {
  ASSERT_NE(a100(), nullptr);
  // 1e12 operations in 10 ms are 100 TFLOP/s, of 312.
  const ProductRate rate = rate_of(product("c10::BFloat16", 1e12, 1e6, 10'000'000), a100());
  EXPECT_NEAR(rate.tflops, 100, 1e-9);
  EXPECT_EQ(rate.precision, "bf16_tensor");
  EXPECT_NEAR(*rate.peak_share, 100 / 312.0, 0.001);
  EXPECT_EQ(rate.memory_limited, false);
  EXPECT_NEAR(*rate.intensity, 1e12 / 2e6, 1e-6);
}

TEST(ProductRate, TheMemoryIsTheRoofOfAThinProduct) {
  // 2 GB at 2039 GB/s take 0.98 ms, the 1e9 operations 3 us.
  const ProductRate rate = rate_of(product("c10::Half", 1e9, 1e9, 2'000'000), a100());
  EXPECT_EQ(rate.memory_limited, true);
  EXPECT_NEAR(*rate.roof_share, 2e9 / *a100()->memory_bandwidth_gbps / 2e6, 1e-9);
}

TEST(ProductRate, OfFp32IsJudgedByWhatItRanOn) {
  derive::trace::Product one = product("float", 1e12, 1e6, 100'000'000);
  EXPECT_EQ(rate_of(one, a100()).peak_share, std::nullopt);
  one.unit = derive::trace::ProductUnit::fp32_cores;
  EXPECT_NEAR(*rate_of(one, a100()).peak_share, 10 / 19.5, 0.01);
  one.unit = derive::trace::ProductUnit::tensor_cores;
  EXPECT_NEAR(*rate_of(one, a100()).peak_share, 10 / 156.0, 0.01);
}

TEST(ProductRate, WithoutAGpuIsComparedWithNothing) {
  const ProductRate rate = rate_of(product("c10::Half", 1e12, 1e6, 10'000'000), nullptr);
  EXPECT_NEAR(rate.tflops, 100, 1e-9);
  EXPECT_EQ(rate.peak_share, std::nullopt);
  EXPECT_EQ(rate.roof_share, std::nullopt);
}

}  // namespace
}  // namespace frx::report
