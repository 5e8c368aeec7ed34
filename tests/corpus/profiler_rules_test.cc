// The rules of Nsight Compute itself, where profiles of the corpus hold them (docs/validation/profiler-rules.md).
#include <gtest/gtest.h>

#include <numeric>

#include "corpus/profiler_rules.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

// Where a rule says plainly that a grid is too small, or what warps wait for, the diagnosis says so too.
TEST(CorpusProfilerRules, WhatTheyNamePlainlyIsFound) {
  FRX_NEEDS_CORPUS();
  const RuleAgreements agreements = profiler_rule_agreements(*testing::corpus());
  ASSERT_GE(agreements.rules, 1000u);
  const auto of = [&](std::string_view name) {
    RuleAgreement sum;
    for (std::size_t i = 0; i < rule_causes().size(); ++i) {
      if (rule_causes()[i].name != name) continue;
      sum.kernels += agreements.by_cause[i].kernels;
      sum.leads += agreements.by_cause[i].leads;
      sum.detected += agreements.by_cause[i].detected;
      sum.denied += agreements.by_cause[i].denied;
    }
    return sum;
  };
  EXPECT_EQ(of("the grid is too small").denied, 0u);
  EXPECT_EQ(of("waiting for memory").denied, 0u);
  EXPECT_EQ(of("waiting at a barrier").denied, 0u);
  EXPECT_EQ(of("memory before compute").denied, 0u);
  EXPECT_EQ(of("neither compute nor memory: latency").denied, 0u);
  const RuleAgreement small = of("the grid is too small");
  EXPECT_GE(small.leads * 10, small.kernels * 9);
}

TEST(CorpusProfilerRules, BoundsAreAboveTheEstimates) {
  FRX_NEEDS_CORPUS();
  const RuleAgreements agreements = profiler_rule_agreements(*testing::corpus());
  std::uint64_t estimates = 0, above = 0;
  for (const RuleAgreement& one : agreements.by_cause) {
    estimates += one.estimates;
    above += one.bounds_above;
  }
  EXPECT_GE(estimates, 50u);
  EXPECT_EQ(above, estimates);
}

}  // namespace
}  // namespace frx::corpus
