#include "derive/tensor_use.h"

#include <gtest/gtest.h>

#include "frx_generated/metric_ids.h"

namespace frx::derive {
namespace {

constexpr MatrixWork matrix{true, false}, half_matrix{true, true}, other{false, false};

model::Readings with(std::initializer_list<std::pair<model::Metric, double>> values) {
  model::Readings readings;
  for (const auto& [metric, value] : values) readings.set(metric, {value, model::Origin::measured, 0, 0, ""});
  return readings;
}

Device ampere() {
  static const knowledge::SmLimits limits = [] {
    knowledge::SmLimits known;
    known.features = {"tensor_cores", "bf16"};
    return known;
  }();
  Device device;
  device.match.limits = &limits;
  return device;
}

TEST(TensorUse, WhatWasNotMeasuredIsUnknown) {
  const TensorUse use = tensor_use_of(with({}), matrix, ampere());
  EXPECT_FALSE(use.is_active || use.falls_back_to_cuda_cores || use.could_use_mixed_precision);
  EXPECT_TRUE(use.is_eligible);
  EXPECT_EQ(use.efficiency, "no_data");
}

TEST(TensorUse, MatrixWorkOnCudaCoresFallsBack) {
  const TensorUse use = tensor_use_of(with({{metrics::tensor_pct, 0}, {metrics::pipe_fma_pct, 70}}), matrix, ampere());
  EXPECT_EQ(use.falls_back_to_cuda_cores, true);
  EXPECT_EQ(use.could_use_mixed_precision, true);
  EXPECT_EQ(use.efficiency, "inactive");
  EXPECT_EQ(use.remarks.size(), 2u);
}

TEST(TensorUse, AnIdlePipeSaysNothingAboutOtherWork) {
  const TensorUse use = tensor_use_of(with({{metrics::tensor_pct, 0}, {metrics::pipe_fma_pct, 70}}), other, ampere());
  EXPECT_EQ(use.falls_back_to_cuda_cores, false);
  EXPECT_EQ(use.could_use_mixed_precision, false);
  EXPECT_EQ(use.efficiency, "no_data");
}

TEST(TensorUse, HalfPrecisionIsNoOpportunityAnyMoreAndAnUnknownGpuGivesNone) {
  EXPECT_EQ(tensor_use_of(with({{metrics::tensor_pct, 2}}), half_matrix, ampere()).could_use_mixed_precision, false);
  const TensorUse unknown = tensor_use_of(with({{metrics::tensor_pct, 2}}), matrix, Device());
  EXPECT_EQ(unknown.could_use_mixed_precision, std::nullopt);
  EXPECT_EQ(unknown.falls_back_to_cuda_cores, std::nullopt);  // neither FMA pipe nor issue slots were measured
}

TEST(TensorUse, EfficiencyHasTheDocumentedLimits) {
  EXPECT_EQ(tensor_use_of(with({{metrics::tensor_pct, 6}}), matrix, ampere()).efficiency, "underutilized");
  EXPECT_EQ(tensor_use_of(with({{metrics::tensor_pct, 51}}), matrix, ampere()).efficiency, "efficient");
}

}  // namespace
}  // namespace frx::derive
