#include "report/layout/trial_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/layout/trial_tensors.h"

namespace frx::report {
namespace {

using namespace std::string_literals;

constexpr const char* smallest = R"({"schema": "layout_trial_side.v1", "windows": []})";

std::string side_error(const std::string& members) {
  const Result<TrialSide> side = read_trial_side("side.json", R"({"schema": "layout_trial_side.v1", )" + members + "}");
  return side ? "" : in_one_line(side.error());
}

TEST(TrialSide, WhatIsNotSaidIsAbsent) {
  const TrialSide side = read_trial_side("side.json", smallest).value();
  EXPECT_FALSE(side.peak_memory_bytes || side.seed || side.namespaces || side.compile.recompiles || side.device_memory_bytes);
  EXPECT_EQ(side.plan_sha256, "");
}

TEST(TrialSide, LossesMayBeNoNumbers) {
  const std::string text = R"({"schema": "layout_trial_side.v1", "windows": [{"ns": 5, "items": null}], "losses": [1.5, "nan", "-inf"]})";
  const TrialSide side = read_trial_side("side.json", text).value();
  EXPECT_EQ(side.losses[0], 1.5);
  EXPECT_TRUE(std::isnan(side.losses[1]));
  EXPECT_EQ(side.losses[2], -HUGE_VAL);
  EXPECT_FALSE(side.windows[0].items);
}

TEST(TrialSide, FilesStayInTheirFolderAndNumbersAreNumbers) {
  EXPECT_THAT(side_error(R"("windows": [], "trace": "../trace.json")"), ::testing::HasSubstr("trace"));
  EXPECT_THAT(
      side_error(
          R"("windows": [], "outputs": [{"name": "a", "file": "/etc/passwd", "dtype": "int8", "sizes": [], "elements": 1, "stride": 1}])"),
      ::testing::HasSubstr("outputs"));
  EXPECT_THAT(side_error(R"("windows": [{"ns": 0}])"), ::testing::HasSubstr("a time above 0"));
  EXPECT_THAT(side_error(R"("windows": [{"ns": 5, "items": 0}])"), ::testing::HasSubstr("items above 0"));
  EXPECT_THAT(side_error(R"("windows": 5)"), ::testing::HasSubstr("windows"));
  EXPECT_THAT(side_error(R"("windows": [], "losses": ["a"])"), ::testing::HasSubstr("losses"));
  EXPECT_FALSE(read_trial_side("side.json", "nothing"));
}

TrialTensor tensor(std::string dtype, std::uint64_t elements) {
  return {"out", "out.bin", std::move(dtype), {static_cast<std::int64_t>(elements)}, elements, 1};
}

const knowledge::ToleranceRule loose{"float32", 0.5, 0.25};

TEST(TrialTensors, DifferencesAreCountedInTolerances) {
  // 1, 2 against 1.5, 4: allowed are 0.75 and 1.25, so that 2 is 1.6 tolerances away.
  const std::string before = "\0\0\x80\x3f\0\0\0\x40"s, after = "\0\0\xc0\x3f\0\0\x80\x40"s;
  const OutputDifference found = compare_outputs(tensor("float32", 2), before, tensor("float32", 2), after, &loose);
  EXPECT_EQ(found.mismatch, "");
  EXPECT_EQ(found.elements, 2u);
  EXPECT_EQ(found.outside, 1u);
  EXPECT_DOUBLE_EQ(found.largest_difference, 2);
  EXPECT_DOUBLE_EQ(found.largest_times_tolerance, 1.6);
  EXPECT_DOUBLE_EQ(found.share_within(), 0.5);
}

TEST(TrialTensors, TheShareOfTheLargestValueMayGrowWithTheTermsOfASum) {
  const auto share = [](const knowledge::ToleranceRule& rule, std::optional<double> longest_sum) {
    return compare_outputs(tensor("float32", 0), "", tensor("float32", 0), "", &rule, longest_sum).share_of_largest;
  };
  EXPECT_EQ(share(loose, 64), 0) << "there is no such limit";
  EXPECT_EQ(share({"float16", 0, 0, 0.0625}, 64), 0.0625);
  EXPECT_EQ(share({"tf32", 0, 0, 0.00390625, true, 0.05}, 64), 0.03125);
  EXPECT_EQ(share({"tf32", 0, 0, 0.00390625, true, 0.05}, {}), 0.00390625) << "of a model without such layers";
  EXPECT_EQ(share({"tf32", 0, 0, 0.00390625, true, 0.05}, 1e308), 0.05);
}

TEST(TrialTensors, HalfPrecisionIsReadInBothForms) {
  // float16 1.5 is 3e00, -2 is c000, the smallest denormal 2^-24 is 0001; bfloat16 1.5 is 3fc0.
  const std::string ones = "\0\x3c\0\x3c\0\0"s, others = "\0\x3e\0\xc0\x01\0"s;
  const OutputDifference half = compare_outputs(tensor("float16", 3), ones, tensor("float16", 3), others, &loose);
  EXPECT_DOUBLE_EQ(half.largest_difference, 3);  // 1 and -2
  const OutputDifference brain = compare_outputs(tensor("bfloat16", 1), "\x80\x3f", tensor("bfloat16", 1), "\xc0\x3f", &loose);
  EXPECT_DOUBLE_EQ(brain.largest_difference, 0.5);
}

TEST(TrialTensors, WholeNumbersHaveToBeEqual) {
  const OutputDifference found = compare_outputs(tensor("int8", 2), "\x01\x02", tensor("int8", 2), "\x01\x03", nullptr);
  EXPECT_EQ(found.outside, 1u);
  EXPECT_EQ(found.largest_times_tolerance, HUGE_VAL);
}

TEST(TrialTensors, NewNanCountsAndNanOfTheBaselineDoesNot) {
  const std::string nan = "\0\0\xc0\x7f"s, one = "\0\0\x80\x3f"s;
  EXPECT_EQ(compare_outputs(tensor("float32", 1), one, tensor("float32", 1), nan, &loose).newly_not_finite, 1u);
  const OutputDifference before = compare_outputs(tensor("float32", 1), nan, tensor("float32", 1), one, &loose);
  EXPECT_EQ(before.newly_not_finite, 0u);
  EXPECT_EQ(before.elements, 0u);
}

TEST(TrialTensors, DescriptionsThatDoNotFitAreMismatches) {
  EXPECT_EQ(compare_outputs(tensor("int8", 1), "a", tensor("uint8", 1), "a", nullptr).mismatch, "the types differ: int8 and uint8");
  EXPECT_EQ(compare_outputs(tensor("int8", 1), "a", tensor("int8", 2), "ab", nullptr).mismatch, "the sizes differ");
  EXPECT_THAT(compare_outputs(tensor("int32", 1), "a", tensor("int32", 1), "a", nullptr).mismatch, ::testing::HasSubstr("as many bytes"));
  const std::uint64_t huge = std::uint64_t{1} << 62;  // times four bytes would be 0
  EXPECT_THAT(compare_outputs(tensor("int32", huge), "", tensor("int32", huge), "", nullptr).mismatch,
              ::testing::HasSubstr("as many bytes"));
  EXPECT_THAT(compare_outputs(tensor("complex64", 0), "", tensor("complex64", 0), "", nullptr).mismatch, ::testing::HasSubstr("complex64"));
}

}  // namespace
}  // namespace frx::report
