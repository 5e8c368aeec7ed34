#include "diagnose/framework_tax.h"

#include <gtest/gtest.h>

#include "knowledge/knowledge.h"

namespace frx::diagnose {
namespace {

using model::RunFact;

std::optional<FrameworkTax> tax_of(const model::RunFacts& facts) {
  static const knowledge::Knowledge known = knowledge::Knowledge::load("").value();
  static const knowledge::RunLabels labels = knowledge::RunLabels::load(known.library).value();
  return framework_tax(facts, diagnose_run(labels, facts, "unknown", {10, true, false}));
}

// The documented vector "launch tiny": 180 and 220 kernels, small shares 0.82 and 0.86, the GPU at 22 %.
TEST(FrameworkTax, OfManyTinyKernels) {
  model::RunFacts facts;
  facts.set(RunFact::profiler_windows, 2);
  facts.set(RunFact::gpu_utilization_pct, 22);
  facts.set(RunFact::kernels_per_step, 200);
  facts.set(RunFact::small_kernel_fraction, 0.84);
  facts.set(RunFact::shape_volatility, 0);
  const auto tax = tax_of(facts);
  ASSERT_TRUE(tax);
  EXPECT_EQ(tax->score, 74);
  EXPECT_EQ(tax->severity, "high");
  ASSERT_EQ(tax->contributors.size(), 3u);
  EXPECT_EQ(tax->contributors[0].points, 90);
  EXPECT_EQ(tax->contributors[1].points, 74);
  EXPECT_EQ(tax->contributors[2].points, 42);
}

// The documented vector "launch": no numbers of kernels.
TEST(FrameworkTax, OfARunWithoutNumbersOfKernels) {
  model::RunFacts facts;
  facts.set(RunFact::profiler_windows, 2);
  facts.set(RunFact::gpu_utilization_pct, 30);
  EXPECT_EQ(tax_of(facts)->score, 35);
}

TEST(FrameworkTax, TheLoaderIsNotTheFramework) {
  model::RunFacts facts;
  facts.set(RunFact::profiler_windows, 1);
  facts.set(RunFact::gpu_utilization_pct, 20);
  facts.set(RunFact::input_fraction, 0.80);
  EXPECT_EQ(tax_of(facts)->score, 0);
}

TEST(FrameworkTax, NeedsKernelsAndTheActivityOfTheGpu) {
  model::RunFacts facts;
  facts.set(RunFact::gpu_utilization_pct, 30);
  EXPECT_FALSE(tax_of(facts));
  facts.set(RunFact::gpu_utilization_pct, std::nullopt);
  facts.set(RunFact::profiler_windows, 1);
  EXPECT_FALSE(tax_of(facts));
}

}  // namespace
}  // namespace frx::diagnose
