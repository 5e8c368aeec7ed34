#include "report/evidence.h"

#include <gtest/gtest.h>

namespace frx::report {
namespace {

TEST(Evidence, CopiesBetweenLayoutsCountFromATwentiethOfTheKernelTime) {
  Evidence small, medium, large;
  small.add_layout_copies(0.04);
  medium.add_layout_copies(0.05);
  large.add_layout_copies(0.12);
  EXPECT_TRUE(small.findings.empty());
  ASSERT_EQ(medium.findings.size(), 1u);
  EXPECT_EQ(medium.findings[0].severity, model::Severity::medium);
  ASSERT_EQ(large.findings.size(), 1u);
  EXPECT_EQ(large.findings[0].severity, model::Severity::high);
  EXPECT_EQ(large.findings[0].id(), layout_copies_sign);
  EXPECT_EQ(std::string_view(large.findings[0].message), "kernels that only bring tensors into another layout take 12 % of kernel time");
}

}  // namespace
}  // namespace frx::report
