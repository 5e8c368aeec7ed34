#include "report/kernels/profile_contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::report {
namespace profile_contract_test {  // files are compiled in groups
namespace {

constexpr std::string_view whole = R"(kind: KernelContract
name: cgp-gemm-512
version: 1.0.0
kernel: gemm
hardware:
  gpu: NVIDIA H100 80GB HBM3
  compute_capability: "9.0"
bounds:
  - size: [512, 512, 512]
    max_time_us: 25
    min_tflops: 10
    min_bandwidth_gbps: 40
    max_regression_pct: 10
metrics:
  achieved_occupancy: {min: 40, max: 100}
falsification:
  - name: F1
    description: it is slower than 30 us
    check: "wall_clock_time_us < 30"
)";

ProfileContract contract(const std::string& yaml) {
  Result<ProfileContract> read = read_contract("c.yaml", yaml);
  EXPECT_TRUE(read) << to_string(read.error());
  return read ? std::move(*read) : ProfileContract();
}
std::string refusal(const std::string& yaml) {
  const Result<ProfileContract> read = read_contract("c.yaml", yaml);
  return read ? "accepted" : to_string(read.error());
}

model::FullProfile good() {
  model::FullProfile profile;
  profile.kernel.name = "gemm";
  profile.kernel.dimensions = {512, 512, 512};
  profile.hardware.gpu = "NVIDIA H100 80GB HBM3";
  profile.hardware.gpu_sm = "9.0";
  profile.timing.wall_clock_time_us = 23;
  profile.throughput.tflops = 11;
  profile.throughput.bandwidth_gbps = 43;
  profile.gpu_compute.achieved_occupancy_pct = 60;
  return profile;
}

ContractVerdict verdict(const model::FullProfile* profile, bool fail_on_regression = true) {
  const model::FullProfile baseline = good();
  return verify_contract(contract(std::string(whole)), profile, &baseline, fail_on_regression);
}
CheckOutcome outcome(auto change) {
  model::FullProfile profile = good();
  change(profile);
  return verdict(&profile).outcome;
}

// cgp R18
TEST(ProfileContract, EveryBoundIsChecked) {
  EXPECT_EQ(outcome([](auto&) {}), CheckOutcome::passed);
  EXPECT_EQ(outcome([](auto& p) { p.timing.wall_clock_time_us = 25.01; }), CheckOutcome::failed);
  EXPECT_EQ(outcome([](auto& p) { p.throughput.tflops = 9.9; }), CheckOutcome::failed);
  EXPECT_EQ(outcome([](auto& p) { p.throughput.bandwidth_gbps = 39; }), CheckOutcome::failed);
  EXPECT_EQ(outcome([](auto& p) { p.timing.wall_clock_time_us = 25; }), CheckOutcome::passed);
}

// cgp R18, cgp D19: the section "metrics" counts
TEST(ProfileContract, MetricsAreEnforced) {
  EXPECT_EQ(outcome([](auto& p) { p.gpu_compute.achieved_occupancy_pct = 39.9; }), CheckOutcome::failed);
  EXPECT_EQ(outcome([](auto& p) { p.gpu_compute.achieved_occupancy_pct = 40; }), CheckOutcome::passed);
}

// cgp R18, cgp D19: what was not measured never passes
TEST(ProfileContract, WithoutAMeasurementNothingPasses) {
  const ContractVerdict none = verdict(nullptr);
  EXPECT_EQ(none.outcome, CheckOutcome::skipped);
  EXPECT_EQ(none.checks.size(), 7u);
  for (const ContractCheck& check : none.checks) EXPECT_EQ(check.outcome, CheckOutcome::skipped) << check.name;
  EXPECT_EQ(outcome([](auto& p) { p.gpu_compute.achieved_occupancy_pct.reset(); }), CheckOutcome::skipped);
  EXPECT_EQ(outcome([](auto& p) { p.timing.wall_clock_time_us.reset(); }), CheckOutcome::skipped);
  // A failed check decides also beside one that was skipped.
  EXPECT_EQ(outcome([](auto& p) {
              p.gpu_compute.achieved_occupancy_pct.reset();
              p.throughput.tflops = 1;
            }),
            CheckOutcome::failed);
  EXPECT_EQ(verify_contract(contract("kernel: gemm\n"), nullptr, nullptr, true).outcome, CheckOutcome::skipped);
  // cgp R10
  EXPECT_EQ(outcome([](auto& p) { p.estimated = true; }), CheckOutcome::skipped);
}

// cgp R18, cgp D19
TEST(ProfileContract, TheHardwareTheKernelAndTheProblemMustMatch) {
  EXPECT_EQ(outcome([](auto& p) { p.hardware.gpu = "Tesla T4"; }), CheckOutcome::skipped);
  EXPECT_EQ(outcome([](auto& p) { p.hardware.gpu.reset(); }), CheckOutcome::skipped);
  EXPECT_EQ(outcome([](auto& p) { p.hardware.gpu_sm = "8.9"; }), CheckOutcome::skipped);
  EXPECT_EQ(outcome([](auto& p) { p.kernel.name = "copy"; }), CheckOutcome::skipped);
  EXPECT_EQ(outcome([](auto& p) { p.kernel.dimensions = {256, 256, 256}; }), CheckOutcome::skipped);
}

// cgp R18
TEST(ProfileContract, RegressionsAreAgainstTheBaseline) {
  model::FullProfile profile = good(), baseline = good();
  baseline.timing.wall_clock_time_us = 20;
  const ProfileContract read = contract(std::string(whole));
  EXPECT_EQ(verify_contract(read, &profile, &baseline, true).outcome, CheckOutcome::failed);
  EXPECT_EQ(verify_contract(read, &profile, &baseline, false).outcome, CheckOutcome::passed);
  EXPECT_EQ(verify_contract(read, &profile, nullptr, true).outcome, CheckOutcome::skipped);
  baseline.hardware.gpu = "Tesla T4";
  EXPECT_EQ(verify_contract(read, &profile, &baseline, true).outcome, CheckOutcome::skipped);
}

// cgp R18
TEST(ProfileContract, WhatIsNotKnownIsAnErrorWithItsPlace) {
  EXPECT_THAT(refusal("kernel: k\nbound: []\n"),
              ::testing::AllOf(::testing::HasSubstr("c.yaml:2"), ::testing::HasSubstr("unknown field 'bound'"),
                               ::testing::HasSubstr("did you mean 'bounds'?")));
  EXPECT_THAT(refusal("kernel: k\nbounds:\n  - max_tim_us: 3\n"), ::testing::HasSubstr("unknown field"));
  EXPECT_THAT(refusal("kernel: k\nbounds:\n  - max_time_us: fast\n"), ::testing::HasSubstr("max_time_us as a number"));
  EXPECT_THAT(refusal("kernel: k\nmetrics:\n  speed: {min: 1}\n"), ::testing::HasSubstr("unknown metric 'speed'"));
  EXPECT_THAT(refusal("kernel: k\nmetrics:\n  tflops: {}\n"), ::testing::HasSubstr("min or max"));
  for (const char* check : {"tflops", "tflops ~ 3", "speed > 3", "tflops > fast", "tflops > 3 us", ""})
    EXPECT_THAT(refusal(fmt::format("kernel: k\nfalsification:\n  - check: \"{}\"\n", check)), ::testing::HasSubstr("field op number"))
        << check;
  EXPECT_THAT(refusal("- 1\n"), ::testing::HasSubstr("a map"));
  EXPECT_THAT(refusal("name: x\n"), ::testing::HasSubstr("expected kernel"));
  EXPECT_NE(refusal("kernel: [\n"), "accepted");
}

TEST(ProfileContract, ChecksCompareAsTheyAreWritten) {
  const auto holds = [](std::string check) {
    const model::FullProfile profile = good();
    return verify_contract(contract("kernel: gemm\nfalsification:\n  - check: \"" + check + "\"\n"), &profile, nullptr, true).outcome;
  };
  EXPECT_EQ(holds("tflops > 10"), CheckOutcome::passed);
  EXPECT_EQ(holds("tflops > 11"), CheckOutcome::failed);
  EXPECT_EQ(holds("tflops >= 11"), CheckOutcome::passed);
  EXPECT_EQ(holds("tflops < 11"), CheckOutcome::failed);
  EXPECT_EQ(holds("tflops <= 11"), CheckOutcome::passed);
  EXPECT_EQ(holds("tflops == 11.0009"), CheckOutcome::passed);
  EXPECT_EQ(holds("tflops == 11.01"), CheckOutcome::failed);
  EXPECT_EQ(holds("arithmetic_intensity > 1"), CheckOutcome::skipped);
}

TEST(ProfileContract, OneThatWasWrittenIsKeptByItsProfile) {
  model::FullProfile profile = good();
  profile.kernel.name = "gemm \"x\" \\ \n";
  const Result<std::string> yaml = contract_for(profile, 10);
  ASSERT_TRUE(yaml);
  const Result<ProfileContract> read = read_contract("c.yaml", *yaml);
  ASSERT_TRUE(read) << to_string(read.error()) << *yaml;
  EXPECT_NEAR(read->bounds.at(0).max_time_us.value_or(0), 25.3, 1e-9);
  profile = good();
  const ProfileContract kept = contract(contract_for(profile, 10).value());
  EXPECT_EQ(verify_contract(kept, &profile, &profile, true).outcome, CheckOutcome::passed);
  profile.timing.wall_clock_time_us = 26;
  EXPECT_EQ(verify_contract(kept, &profile, &profile, true).outcome, CheckOutcome::failed);
  profile.estimated = true;
  EXPECT_EQ(contract_for(profile, 10).error().kind, ErrorKind::not_enough);
}

// cgp R18: a limit of six digits may lie on the wrong side of what was measured.
TEST(ProfileContract, OneWithoutToleranceIsKeptByItsProfile) {
  model::FullProfile profile = good();
  profile.timing.wall_clock_time_us = 1234562.1;
  profile.throughput.tflops = 11.5700051;
  profile.throughput.bandwidth_gbps = 1234567.9;
  const ProfileContract kept = contract(contract_for(profile, 0).value());
  EXPECT_EQ(verify_contract(kept, &profile, &profile, true).outcome, CheckOutcome::passed);
  EXPECT_EQ(kept.bounds.at(0).max_time_us, 1234562.1);
}

}  // namespace
}  // namespace profile_contract_test
}  // namespace frx::report
