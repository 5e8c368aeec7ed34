#include "report/kernels/work_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::report {
namespace work_model_test {  // files are compiled in groups
namespace {

using ::testing::HasSubstr;

std::optional<double> flops(const WorkRequest& request) {
  const Result<WorkModel> work = work_of(request);
  EXPECT_TRUE(work) << to_string(work.error());
  return work ? work->flops : std::nullopt;
}
std::string refusal(const WorkRequest& request) {
  const Result<WorkModel> work = work_of(request);
  return work ? "accepted" : work.error().message;
}

// cgp R3, cgp D8
TEST(WorkModel, SizeAloneSaysNothingOfOperations) {
  const Result<WorkModel> work = work_of({.size = 512});
  ASSERT_TRUE(work);
  EXPECT_EQ(dimensions_text(work->dimensions), "512x512x512");
  EXPECT_EQ(work->flops, std::nullopt);
}

// cgp R3
TEST(WorkModel, OperationsFollowFromTheShapeOfAKnownOperation) {
  EXPECT_EQ(flops({.operation = "gemm", .shape = "2,3,5"}), 60);
  EXPECT_EQ(flops({.operation = "gemm", .size = 10}), 2000);
  EXPECT_EQ(flops({.operation = "conv", .shape = "2,3,5"}), 60);
  EXPECT_EQ(flops({.operation = "attention", .shape = "2,3,5"}), 120);
  EXPECT_EQ(flops({.operation = "elementwise", .shape = "1000"}), 1000);
  EXPECT_EQ(flops({.operation = "reduction", .shape = "10,20"}), 200);
  EXPECT_EQ(work_of({.operation = "gemm", .shape = "2,3,5"})->from, "2*M*N*K of gemm 2x3x5");
}

// cgp R3
TEST(WorkModel, AnExpressionComesBeforeTheOperation) {
  EXPECT_EQ(flops({.shape = "2,3,5", .flops = "2*M*N*K + M*N"}), 66);
  EXPECT_EQ(flops({.flops = "5*SIZE", .size = 8}), 40);
  EXPECT_EQ(flops({.flops = "1.5e9"}), 1.5e9);
  EXPECT_EQ(flops({.operation = "custom", .flops = "7"}), 7);
  EXPECT_EQ(flops({.operation = "gemm", .shape = "2,3,5", .flops = "1"}), 1);
}

TEST(WorkModel, WhatIsMissingOrNoNumberIsNamed) {
  EXPECT_THAT(refusal({.operation = "conv", .size = 8}), HasSubstr("--op conv needs --shape with M,N,K"));
  EXPECT_THAT(refusal({.operation = "gemm"}), HasSubstr("or --size N"));
  EXPECT_THAT(refusal({.operation = "custom", .shape = "1"}), HasSubstr("--flops"));
  EXPECT_THAT(refusal({.operation = "fft", .shape = "1"}), HasSubstr("found 'fft'"));
  for (const char* shape : {"0", "-1", "1,2,3,4", "", "1,,2", "4294967296", "1.5", "x"}) {
    if (*shape) EXPECT_THAT(refusal({.operation = "gemm", .shape = shape}), HasSubstr("--shape: expected")) << shape;
  }
  for (const char* expression : {"2*M", "M > 1", "3 us", "0", "-1", "1/0", "2*", "1e999"})
    EXPECT_NE(refusal({.flops = expression}), "accepted") << expression;
  EXPECT_THAT(refusal({.size = 0}), HasSubstr("--size"));
}

}  // namespace
}  // namespace work_model_test
}  // namespace frx::report
