#include "report/kernels/read_full_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::report {
namespace read_full_profile_test {  // files are compiled in groups
namespace {

using namespace model::full_profile;

model::FullProfile read(std::string_view json) {
  Result<model::FullProfile> profile = read_full_profile("p.json", json);
  EXPECT_TRUE(profile) << to_string(profile.error());
  return profile ? std::move(*profile) : model::FullProfile();
}
std::string refusal(std::string_view json) {
  const Result<model::FullProfile> profile = read_full_profile("p.json", json);
  return profile ? "accepted" : to_string(profile.error());
}

TEST(ReadFullProfile, SectionsAndFieldsMayBeMissingOrNull) {
  const model::FullProfile profile =
      read(R"({"version": "2.0", "gpu_compute": null, "gpu_memory": {"l2_hit_rate_pct": null, "dram_throughput_pct": 7.5}})");
  EXPECT_FALSE(is_collected(profile.gpu_compute));
  EXPECT_EQ(profile.gpu_memory.l2_hit_rate_pct, std::nullopt);
  EXPECT_EQ(profile.gpu_memory.dram_throughput_pct, 7.5);
  EXPECT_FALSE(is_collected(profile.syscall));
}

// cgp R12, cgp D12: in 2.0 a missing counter is written as 0
TEST(ReadFullProfile, AZeroOfTheFirstVersionIsNotKnown) {
  constexpr std::string_view members =
      R"("gpu_compute": {"branch_efficiency_pct": 0.0, "ipc": 0, "register_usage_per_thread": 0, "sm_utilization_pct": 42.3}})";
  const model::FullProfile first = read(fmt::format(R"({{"version": "2.0", {})", members));
  EXPECT_EQ(first.gpu_compute.branch_efficiency_pct, std::nullopt);
  EXPECT_EQ(first.gpu_compute.register_usage_per_thread, std::nullopt);
  EXPECT_EQ(first.gpu_compute.sm_utilization_pct, 42.3);
  const model::FullProfile second = read(fmt::format(R"({{"version": "2.1", {})", members));
  EXPECT_EQ(second.gpu_compute.branch_efficiency_pct, 0);
  EXPECT_EQ(second.gpu_compute.register_usage_per_thread, 0u);
}

// cgp D6
TEST(ReadFullProfile, SaysThatTheFirstVersionStatesOneGpuAlways) {
  const model::FullProfile profile = read(
      R"({"version": "2.0", "hardware": {"gpu": "NVIDIA GeForce RTX 4090"}, "roofline": {"peak_compute_tflops": 330.0, "bound": "memory"}})");
  EXPECT_THAT(profile.notes, ::testing::ElementsAre(::testing::HasSubstr("no evidence")));
}

// cgp R18, cgp D19: a time that none can be would keep every contract.
TEST(ReadFullProfile, TimesAndSizesAreAboveZero) {
  EXPECT_THAT(refusal(R"({"version": "2.1", "timing": {"wall_clock_time_us": -5}})"),
              ::testing::HasSubstr("p.json: timing.wall_clock_time_us"));
  EXPECT_THAT(refusal(R"({"version": "2.1", "timing": {"wall_clock_time_us": 0}})"), ::testing::HasSubstr("above 0"));
  EXPECT_THAT(refusal(R"({"version": "2.1", "timing": {"samples_us": [1, -1, 2]}})"), ::testing::HasSubstr("timing.samples_us"));
  EXPECT_THAT(refusal(R"({"version": "2.1", "kernel": {"dimensions": [512, 0, 512]}})"), ::testing::HasSubstr("kernel.dimensions"));
  EXPECT_EQ(read(R"({"version": "2.0", "timing": {"wall_clock_time_us": 0}})").timing.wall_clock_time_us, std::nullopt);
}

TEST(ReadFullProfile, WhatDoesNotFitIsNamed) {
  EXPECT_THAT(refusal(""), ::testing::HasSubstr("p.json: expected a FullProfile in JSON"));
  EXPECT_THAT(refusal("{}"), ::testing::HasSubstr("\"version\""));
  EXPECT_THAT(refusal("[]"), ::testing::HasSubstr("\"version\""));
  EXPECT_THAT(refusal(R"({"version": "3.0"})"), ::testing::HasSubstr("found '3.0'"));
  EXPECT_THAT(refusal(R"({"version": "2.1", "timing": 3})"), ::testing::HasSubstr("timing: expected an object, found number"));
  EXPECT_THAT(refusal(R"({"version": "2.1", "timing": {"samples": -1}})"), ::testing::HasSubstr("timing.samples: expected a count"));
  EXPECT_THAT(refusal(R"({"version": "2.1", "timing": {"samples_us": [1, "x"]}})"),
              ::testing::HasSubstr("timing.samples_us: expected a number"));
  EXPECT_THAT(refusal(R"({"version": "2.1", "kernel": {"grid": [5000000000]}})"), ::testing::HasSubstr("kernel.grid"));
  EXPECT_THAT(refusal(R"({"version": "2.1", "kernel": {"name": 7}})"), ::testing::HasSubstr("kernel.name: expected a text"));
  EXPECT_THAT(refusal(R"({"version": "2.1", "wasm": {"simd128_detected": 1}})"), ::testing::HasSubstr("true or false"));
  EXPECT_THAT(refusal(R"({"version": "2.1", "muda": {}})"), ::testing::HasSubstr("muda"));
  EXPECT_THAT(refusal(R"({"version": "2.1", "provenance": []})"), ::testing::HasSubstr("provenance"));
  EXPECT_EQ(refusal(R"({"version": "2.1", "unheard_of": {"x": 1}, "timing": {"more": []}})"), "accepted");
}

TEST(ReadFullProfile, GoesByTheFirstBytes) {
  EXPECT_TRUE(may_be_full_profile(R"({"version": "2.0", "timing": {)"));
  EXPECT_FALSE(may_be_full_profile(R"({"schema_version": "1.1", "capture_metadata": {)"));
}

}  // namespace
}  // namespace read_full_profile_test
}  // namespace frx::report
