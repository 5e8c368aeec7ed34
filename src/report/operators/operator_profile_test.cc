#include "report/operators/operator_profile.h"

#include <gmock/gmock.h>

namespace frx::report {
namespace {

using ::testing::HasSubstr;

Result<OperatorReport> read(std::string_view json, OperatorGrouping grouping = OperatorGrouping::by_operator) {
  return read_operator_profile("profile.json", json, grouping);
}

std::string error_of_profile(std::string_view json) {
  const Result<OperatorReport> report = read(json);
  return report ? "no error" : to_string(report.error());
}

constexpr std::string_view two_calls = R"({"schema_version": "1.1", "capture_metadata": {"device_name": "L4"}, "operators": [
  {"operator_name": "aten::mm, op_id = 1", "kernels": [{"kernel_name": "gemm", "duration_ns": 30, "iteration": 0}, {"kernel_name": "split", "duration_ns": 5}],
   "aggregated": {"achieved_occupancy": 20}},
  {"operator_name": "aten::mm, op_id = 2", "kernels": [{"kernel_name": "gemm", "duration_ns": 15, "iteration": 1}], "aggregated": {"achieved_occupancy": 60}},
  {"operator_name": "layer::unique::a", "kernels": [], "aggregated": null}],
  "unattributed_kernels": [{"kernel_name": "fill", "duration_ns": 7}], "init_kernels": [{"kernel_name": "randn", "duration_ns": 9}]})";

TEST(OperatorProfile, KernelsSayWhichModuleTheyAreOf) {
  const Result<OperatorReport> report = read(
      R"({"schema_version": "1.1", "operators": [
        {"operator_name": "aten::mm", "kernels": [{"kernel_name": "a", "duration_ns": 30, "module": "net.0"}, {"kernel_name": "b", "duration_ns": 5, "module": "net.1"}]},
        {"operator_name": "aten::mm", "kernels": [{"kernel_name": "a", "duration_ns": 10, "module": "net.1"}]},
        {"operator_name": "aten::sum", "kernels": [{"kernel_name": "c", "duration_ns": 2, "module": null}]}, {"operator_name": "aten::t", "kernels": []}]})",
      OperatorGrouping::by_module);
  ASSERT_TRUE(report) << to_string(report.error());
  ASSERT_EQ(report->operators.size(), 3u);
  EXPECT_EQ(report->operators[0].name, "net.0");
  EXPECT_EQ(report->operators[0].gpu_ns, 30);
  EXPECT_EQ(report->operators[1].name, "net.1");
  EXPECT_EQ(report->operators[1].gpu_ns, 15);
  EXPECT_EQ(report->operators[1].calls, 1u);
  EXPECT_EQ(report->operators[2].name, "(no module)");
}

TEST(OperatorProfile, CallsOfAnOperatorAreSummed) {
  const Result<OperatorReport> report = read(two_calls);
  ASSERT_TRUE(report) << to_string(report.error());
  ASSERT_EQ(report->operators.size(), 2u);
  const OperatorSum& mm = report->operators[0];
  EXPECT_EQ(mm.name, "aten::mm");
  EXPECT_EQ(mm.calls, 2u);
  EXPECT_EQ(mm.kernels, 3u);
  EXPECT_EQ(mm.gpu_ns, 50);
  EXPECT_EQ(mm.longest_kernel, "gemm");
  EXPECT_NEAR(mm.occupancy_pct.value_or(0), (35 * 20 + 15 * 60) / 50.0, 1e-9) << "weighted by time";
  EXPECT_EQ(mm.dram_pct, std::nullopt) << "what was not measured is not zero";
  EXPECT_EQ(report->unattributed.gpu_ns, 7);
  EXPECT_EQ(report->before_window.gpu_ns, 9);
  EXPECT_EQ(report->attributed_ns(), 50);
  EXPECT_EQ(report->iterations, 2u);
  EXPECT_EQ(report->gpu, "L4");
}

TEST(OperatorProfile, KernelsMayBeSummedInstead) {
  const Result<OperatorReport> report = read(two_calls, OperatorGrouping::by_kernel);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->operators.size(), 2u);
  EXPECT_EQ(report->operators[0].name, "gemm");
  EXPECT_EQ(report->operators[0].gpu_ns, 45);
}

TEST(OperatorProfile, WhatIsNoneIsNamed) {
  EXPECT_THAT(error_of_profile("["), HasSubstr("profile.json: expected a profile of operators in JSON"));
  EXPECT_THAT(error_of_profile("{}"), HasSubstr("as the file"));
  EXPECT_THAT(error_of_profile(R"({"schema_version": "2.0", "operators": []})"), HasSubstr("found '2.0', as schema_version"));
  EXPECT_THAT(error_of_profile(R"({"schema_version": "1.0", "operators": [{"operator_name": "a"}]})"), HasSubstr("operators[0].kernels"));
  EXPECT_THAT(error_of_profile(R"({"schema_version": "1.0", "operators": [{"operator_name": "a", "kernels": [{"duration_ns": -1}]}]})"),
              HasSubstr("operators[0].kernels[0].duration_ns"));
  EXPECT_THAT(error_of_profile(
                  R"({"schema_version": "1.0", "operators": [], "unattributed_kernels": [{"duration_ns": 6e18}, {"duration_ns": 6e18}]})"),
              HasSubstr("unattributed_kernels[1].duration_ns"));
}

}  // namespace
}  // namespace frx::report
