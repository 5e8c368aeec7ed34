#include "diagnose/diagnosis.h"

#include <gtest/gtest.h>

#include "knowledge/knowledge.h"

namespace frx::diagnose {
namespace {

// Kernels that were launched once each, with nothing measured.
model::Session kernels_without_metrics(int count) {
  model::Session session;
  for (int i = 0; i < count; ++i) {
    model::Kernel& kernel = session.kernels.emplace_back();
    kernel.name = "kernel_" + std::to_string(i);
    kernel.groups.emplace_back().launches = 1;
    ++session.launches;
  }
  return session;
}

// Nine ninths sum to a little more than 1, other shares to a little less.
TEST(Diagnose, SharesOfTheWholeNeverSumToMoreThanTheWhole) {
  const knowledge::Knowledge knowledge = knowledge::Knowledge::load("").value();
  for (const int kernels : {1, 3, 9, 11, 49}) {
    const auto run = diagnose(kernels_without_metrics(kernels), knowledge, {});
    ASSERT_TRUE(run);
    ASSERT_FALSE(run->findings.empty());
    EXPECT_LE(run->findings[0].score, 1.0) << kernels;
    EXPECT_LE(run->findings[0].time_share, 1.0) << kernels;
    EXPECT_NEAR(run->findings[0].score, 1.0, 1e-9) << kernels;
  }
}

}  // namespace
}  // namespace frx::diagnose
