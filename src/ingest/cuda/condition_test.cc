#include "ingest/cuda/condition.h"

#include <gtest/gtest.h>

#include <string>

namespace frx::ingest::cuda {
namespace {

TEST(CudaCondition, KnowsNumbersAndTheirSigns) {
  EXPECT_EQ(truth_of("0"), false);
  EXPECT_EQ(truth_of("(1)"), true);
  EXPECT_EQ(truth_of("0 && WHATEVER"), false);
  EXPECT_EQ(truth_of("WHATEVER || 1"), true);
  EXPECT_EQ(truth_of("!(0x10 == 16)"), false);
}

TEST(CudaCondition, KnowsWhichArchitecturesAndToolkitsAreInUse) {
  EXPECT_EQ(truth_of("__CUDA_ARCH__ >= 300"), true);
  EXPECT_EQ(truth_of("__CUDA_ARCH__ < 600"), false);
  EXPECT_EQ(truth_of("__CUDA_ARCH__ >= 900"), std::nullopt);
  EXPECT_EQ(truth_of("CUDART_VERSION > 9000"), true);
  EXPECT_EQ(truth_of("__CUDACC_VER_MAJOR__ < 9"), false);
}

TEST(CudaCondition, CodeForTheHostStandsBesideCodeForTheDevice) {
  EXPECT_EQ(truth_of("defined(__CUDA_ARCH__)"), std::nullopt);
  EXPECT_EQ(likely_truth_of("!defined(__CUDA_ARCH__)"), false);
  EXPECT_EQ(truth_of("!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600"), true);
}

TEST(CudaCondition, WhatAnotherCompilerDefinesIsNotDefined) {
  EXPECT_EQ(truth_of("defined(__HIP_PLATFORM_AMD__)"), false);
  EXPECT_EQ(truth_of("defined USE_ROCM && defined(X)"), false);
  EXPECT_EQ(truth_of("defined(SHIPPED)"), std::nullopt);
}

TEST(CudaCondition, UnknownNamesAreLikelyDefined) {
  EXPECT_EQ(truth_of("defined(FAST)"), std::nullopt);
  EXPECT_EQ(likely_truth_of("defined(FAST)"), true);
  EXPECT_EQ(likely_truth_of("!defined(FAST)"), false);
  EXPECT_EQ(likely_truth_of("FAST > 3"), std::nullopt);
}

TEST(CudaCondition, KnowsNothingOfTheCompilerOfHip) {
  const auto of_hip = [](std::string_view condition) { return truth_of(condition, nullptr, nullptr, Compiler::hipcc); };
  EXPECT_EQ(of_hip("defined(__HIP_PLATFORM_AMD__)"), std::nullopt);
  EXPECT_EQ(of_hip("defined(__CUDACC__)"), std::nullopt);
  EXPECT_EQ(of_hip("CUDA_VERSION >= 11000"), std::nullopt);
  EXPECT_EQ(of_hip("0 && defined(__HIPCC__)"), false);
  EXPECT_EQ(likely_truth_of("defined(USE_HIP) && !defined(NO_GRID)", nullptr, nullptr, Compiler::hipcc), false);
  EXPECT_EQ(likely_truth_of("defined(USE_HIP)", nullptr, nullptr, Compiler::hipcc), true);
}

TEST(CudaCondition, NamesMayStandForNumbers) {
  const auto numbers = [](std::string_view name) { return name == "SEVEN" ? std::optional<std::int64_t>(7) : std::nullopt; };
  EXPECT_EQ(truth_of("SEVEN > 6", numbers), true);
  EXPECT_EQ(truth_of("EIGHT > 6", numbers), std::nullopt);
}

TEST(CudaCondition, SaysNothingOfWhatItCannotRead) {
  for (const char* text : {"", "(", "1 +", "F(1) || 1", "1 1", "__has_include(<a>)", "1 ? 0 : 1", "99999999999999999999", "!", "1)"})
    EXPECT_EQ(truth_of(text), std::nullopt) << text;
  EXPECT_EQ(truth_of(std::string(100'000, '(') + "1"), std::nullopt);
  EXPECT_EQ(truth_of(std::string(100'000, '!') + "1"), std::nullopt);
}

}  // namespace
}  // namespace frx::ingest::cuda
