#include "diagnose/framework_tax.h"

#include <gtest/gtest.h>

namespace frx::diagnose {
namespace {

using model::RunFact;

// The test vector "launch tiny" of the reference: 180 and 220 kernels, small shares 0.82 and 0.86, the GPU at 22 %.
TEST(FrameworkTax, OfManyTinyKernels) {
  model::RunFacts facts;
  facts.set(RunFact::profiler_windows, 2);
  facts.set(RunFact::gpu_utilization_pct, 22);
  facts.set(RunFact::kernels_per_step, 200);
  facts.set(RunFact::small_kernel_fraction, 0.84);
  facts.set(RunFact::shape_volatility, 0);
  const auto tax = framework_tax(facts);
  ASSERT_TRUE(tax);
  EXPECT_EQ(tax->score, 74);
  EXPECT_EQ(tax->severity, "high");
  ASSERT_EQ(tax->contributors.size(), 3u);
  EXPECT_EQ(tax->contributors[0].points, 90);
  EXPECT_EQ(tax->contributors[1].points, 74);
  EXPECT_EQ(tax->contributors[2].points, 42);
}

// The test vector "launch" of the reference: no numbers of kernels.
TEST(FrameworkTax, OfARunWithoutNumbersOfKernels) {
  model::RunFacts facts;
  facts.set(RunFact::profiler_windows, 2);
  facts.set(RunFact::gpu_utilization_pct, 30);
  EXPECT_EQ(framework_tax(facts)->score, 35);
}

TEST(FrameworkTax, TheLoaderIsNotTheFramework) {
  model::RunFacts facts;
  facts.set(RunFact::profiler_windows, 1);
  facts.set(RunFact::gpu_utilization_pct, 20);
  facts.set(RunFact::input_fraction, 0.80);
  EXPECT_EQ(framework_tax(facts)->score, 0);
}

// Spec 09, B16: 19 % are below the threshold of the label, and still not attributed to the framework.
TEST(FrameworkTax, NorIsALoaderThatIsNoBottleneck) {
  model::RunFacts facts;
  facts.set(RunFact::profiler_windows, 1);
  facts.set(RunFact::gpu_utilization_pct, 81);
  facts.set(RunFact::input_fraction, 0.19);
  EXPECT_EQ(framework_tax(facts)->score, 0);
}

TEST(FrameworkTax, NeedsKernelsAndTheActivityOfTheGpu) {
  model::RunFacts facts;
  facts.set(RunFact::gpu_utilization_pct, 30);
  EXPECT_FALSE(framework_tax(facts));
  facts.set(RunFact::gpu_utilization_pct, std::nullopt);
  facts.set(RunFact::profiler_windows, 1);
  EXPECT_FALSE(framework_tax(facts));
}

}  // namespace
}  // namespace frx::diagnose
