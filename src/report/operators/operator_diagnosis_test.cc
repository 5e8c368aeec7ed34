#include "report/operators/operator_diagnosis.h"

#include <gmock/gmock.h>

#include "ingest/testing.h"

namespace frx::report {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A kernel of a profile.json: "NAME NS" and percentages of DRAM, SM and occupancy.
struct Measured {
  std::string_view kernel;
  int ns = 0, dram = 0, sm = 0, occupancy = 0;
};

std::string kernel_json(const Measured& one, bool has_counters) {
  return fmt::format(
      R"({{"kernel_name": "{}", "duration_ns": {}, "device_id": 0, "grid_dim": [4096, 1, 1], "block_dim": [256, 1, 1], "metrics": {{"raw": {}}}}})",
      one.kernel, one.ns,
      has_counters
          ? fmt::format(
                R"({{"gpu__time_duration.sum": {}, "dram__throughput.avg.pct_of_peak_sustained_elapsed": {}, "sm__throughput.avg.pct_of_peak_sustained_elapsed": {}, "sm__warps_active.avg.pct_of_peak_sustained_active": {}}})",
                one.ns, one.dram, one.sm, one.occupancy)
          : "{}");
}

constexpr std::string_view all_units =
    R"("gpu__time_duration.sum": "ns", "dram__throughput.avg.pct_of_peak_sustained_elapsed": "%", "sm__throughput.avg.pct_of_peak_sustained_elapsed": "%", "sm__warps_active.avg.pct_of_peak_sustained_active": "%")";

std::string operator_json(std::string_view name, std::string_view kernels) {
  return fmt::format(R"({{"operator_name": "{}", "kernels": [{}], "aggregated": null}})", name, kernels);
}

std::string profile_json(std::string_view operators, std::string_view units = all_units) {
  return fmt::format(
      R"({{"schema_version": "1.1", "capture_metadata": {{"device_name": "NVIDIA A100-SXM4-80GB"}}, "operators": [{}], "units": {{{}}}}})",
      operators, units);
}

OperatorReport diagnosed(std::string_view json) {
  static const std::unique_ptr<Analyst> analyst = Analyst::create({}).value();
  OperatorReport report = read_operator_profile("profile.json", json, OperatorGrouping::by_operator, &ingest::testing::catalogue()).value();
  EXPECT_TRUE(diagnose_operators(report, *analyst));
  return report;
}

constexpr Measured copies = {"copy_kernel", 100'000, 92, 15, 90}, multiplies = {"gemm_kernel", 100'000, 20, 93, 40};

TEST(OperatorDiagnosis, EachOperatorIsDiagnosedByItsOwnKernels) {
  const OperatorReport report = diagnosed(profile_json(operator_json("aten::copy_", kernel_json(copies, true)) + "," +
                                                       operator_json("aten::mm", kernel_json(multiplies, true))));
  ASSERT_EQ(report.operators.size(), 2u);
  const auto& copy = report.operators[0].diagnosis;
  const auto& mm = report.operators[1].diagnosis;
  ASSERT_TRUE(copy && mm);
  EXPECT_EQ(copy->label, "memory_bandwidth_bound");
  EXPECT_EQ(mm->label, "compute_bound");
  EXPECT_EQ(copy->evidence.at(0).value, 92);
  ASSERT_TRUE(copy->advice);
  EXPECT_EQ(copy->advice->label, "memory_bandwidth_bound");
  EXPECT_THAT(copy->kernel, IsEmpty()) << "there is only one";
}

TEST(OperatorDiagnosis, IsThatOfAProfileOfItsLaunches) {
  const std::string csv =
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid "
      "Size\",\"Device\",\"CC\",\"gpu__time_duration.sum\",\"dram__throughput.avg.pct_of_peak_sustained_"
      "elapsed\",\"sm__throughput.avg.pct_of_peak_sustained_elapsed\",\"sm__warps_active.avg.pct_of_peak_sustained_active\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"ns\",\"%\",\"%\",\"%\"\n"
      "\"0\",\"copy_kernel\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"0\",\"8.0\",\"100000\",\"92\",\"15\",\"90\"\n"
      "\"1\",\"gemm_kernel\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"0\",\"8.0\",\"100000\",\"20\",\"93\",\"40\"\n";
  const std::unique_ptr<Analyst> analyst = Analyst::create({}).value();
  const NcuReport& alone = *analyst->analyse("counters.csv", *open_bytes(csv)).value();
  const OperatorReport report =
      diagnosed(profile_json(operator_json("aten::both", kernel_json(copies, true) + "," + kernel_json(multiplies, true))));
  const auto& both = report.operators.at(0).diagnosis;
  ASSERT_TRUE(both);
  EXPECT_EQ(both->label, alone.primary);
  EXPECT_NEAR(both->score.value_or(-1), alone.findings.at(0).score, 1e-9);
  EXPECT_THAT(both->kernel, Not(IsEmpty()));
}

TEST(OperatorDiagnosis, NeedsCountersOfMostOfTheTime) {
  const auto with = [](int measured_ns, int other_ns) {
    return diagnosed(profile_json(operator_json(
        "aten::mm", kernel_json({"gemm_kernel", measured_ns, 20, 93, 40}, true) + "," + kernel_json({"split_kernel", other_ns}, false))));
  };
  EXPECT_TRUE(with(800, 200).operators[0].diagnosis) << "80 %";
  EXPECT_FALSE(with(790, 210).operators[0].diagnosis);
  EXPECT_EQ(with(790, 210).operators[0].sm_pct, std::nullopt);
}

TEST(OperatorDiagnosis, TakesNoNumberWhoseUnitIsNotStated) {
  const std::string operators = operator_json("aten::copy_", kernel_json(copies, true));
  const auto none = diagnosed(profile_json(operators, "")).operators.at(0).diagnosis;
  ASSERT_TRUE(none) << "kernels were measured, and it is said that this is not enough";
  EXPECT_EQ(none->label, "insufficient_ncu_data");
  EXPECT_FALSE(none->score);
  const auto other = diagnosed(profile_json(operators, R"("dram__throughput.avg.pct_of_peak_sustained_elapsed": "ratio")")).operators.at(0);
  EXPECT_EQ(other.diagnosis->label, "insufficient_ncu_data") << "another unit than the metric has";
  std::string without = profile_json(operators);
  without.erase(without.find(", \"units\""));
  EXPECT_FALSE(diagnosed(without + "}").operators.at(0).diagnosis);
}

TEST(OperatorDiagnosis, SmallOperatorsHaveNone) {
  const OperatorReport report = diagnosed(profile_json(operator_json("aten::copy_", kernel_json(copies, true)) + "," +
                                                       operator_json("aten::add", kernel_json({"add_kernel", 900, 92, 15, 90}, true))));
  EXPECT_TRUE(report.operators.at(0).diagnosis);
  EXPECT_FALSE(report.operators.at(1).diagnosis);
}

TEST(OperatorDiagnosis, DamagedCountersAreLeftOut) {
  for (const std::string_view raw : {"null", "[]", "3", R"({"dram__throughput.avg.pct_of_peak_sustained_elapsed": "92"})", "{}"}) {
    const std::string kernel = fmt::format(
        R"({{"kernel_name": "a", "duration_ns": 5, "device_id": -7, "grid_dim": [1, -2, 3], "block_dim": "x", "metrics": {{"raw": {}}}}})",
        raw);
    const OperatorReport report = diagnosed(profile_json(operator_json("aten::mm", kernel)));
    EXPECT_EQ(report.operators.at(0).sm_pct, std::nullopt) << raw;
    if (report.operators.at(0).diagnosis) EXPECT_EQ(report.operators.at(0).diagnosis->label, "insufficient_ncu_data") << raw;
  }
}

}  // namespace
}  // namespace frx::report
