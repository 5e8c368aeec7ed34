#include "report/kernels/kernel_profile.h"

#include <gmock/gmock.h>

#include <cmath>

#include "report/kernels/roofline_position.h"
#include "report/kernels/testing.h"

namespace frx::report {
namespace kernel_profile_test {  // files are compiled in groups
namespace {

using kernel_testing::counted_launch;
using kernel_testing::Launch;
using kernel_testing::profile_in;
using kernel_testing::tall_csv;

// cgp R1, cgp D3: columns by their header, commas within names, shapes and numbers
// cgp D5: the unit of a time is read
TEST(KernelProfile, ReadsNumbersByHeaderAndUnit) {
  const Launch launch{"void ns::gemm<float, 4>(int, float *)",
                      64,
                      {{"gpu__time_duration.sum", "ms", "1,234.5"}, {"launch__registers_per_thread", "register/thread", "48"}}};
  const KernelProfile made = profile_in(tall_csv({launch}), {.name = "ns::gemm"});
  EXPECT_DOUBLE_EQ(made.profile.timing.wall_clock_time_us.value_or(0), 1'234'500);
  EXPECT_EQ(made.profile.gpu_compute.register_usage_per_thread, 48u);
  EXPECT_EQ(made.profile.kernel.name, "ns::gemm");
  EXPECT_EQ(made.profile.kernel.full_name, "void ns::gemm<float, 4>(int, float *)");
  EXPECT_EQ(made.profile.provenance.at("timing.wall_clock_time_us"), "report.csv:2");
}

// cgp R2, cgp D4
TEST(KernelProfile, LaunchesOfOneShapeTogetherAndOthersNever) {
  const auto timed = [](std::string kernel, int grid, std::string us) {
    return Launch{std::move(kernel), grid, {{"gpu__time_duration.sum", "us", std::move(us)}}};
  };
  const std::string csv = tall_csv({timed("gemm", 64, "10"), timed("copy", 8, "500"), timed("gemm", 64, "12"), timed("copy", 8, "510"),
                                    timed("gemm", 64, "17"), timed("copy", 8, "520"), timed("gemm", 8, "3")});
  const KernelProfile made = profile_in(csv, {.name = "gemm"});
  EXPECT_THAT(made.profile.timing.samples_us, ::testing::ElementsAre(10, 12, 17));
  EXPECT_EQ(made.profile.timing.wall_clock_time_us, 12);
  EXPECT_EQ(made.profile.timing.min_us, 10);
  EXPECT_EQ(made.profile.timing.max_us, 17);
  EXPECT_EQ(made.profile.timing.samples, 3u);
  ASSERT_EQ(made.matches.size(), 2u);
  EXPECT_EQ(made.matches[0].grid, "(64, 1, 1)");
  EXPECT_EQ(made.matches[1].grid, "(8, 1, 1)");
  EXPECT_THAT(made.profile.notes, ::testing::Contains(::testing::HasSubstr("2 groups of launches")));
  EXPECT_EQ(profile_in(csv, {.name = "regex:^cop.$"}).profile.kernel.name, "copy");
  EXPECT_EQ(profile_in(csv, {.name = ""}).profile.kernel.name, "copy");
  EXPECT_EQ(kernel_profile_of(kernel_testing::launches_in(csv), {.name = "gemmm"}, kernel_testing::known()).error().kind,
            ErrorKind::not_enough);
  EXPECT_EQ(kernel_profile_of(kernel_testing::launches_in(csv), {.name = "regex:("}, kernel_testing::known()).error().kind,
            ErrorKind::usage);
}

// cgp R3, cgp D8
TEST(KernelProfile, WithoutCountedOrStatedOperationsThereAreNoRates) {
  const Launch launch{"softmax", 64, {{"gpu__time_duration.sum", "us", "10"}, {"dram__bytes.sum", "byte", "1000000"}}};
  const KernelProfile made = profile_in(tall_csv({launch}), {.name = "softmax", .work = {.size = 512}, .gpu_model = "h100"});
  EXPECT_EQ(made.profile.kernel.dimensions, (std::vector<std::uint32_t>{512, 512, 512}));
  EXPECT_EQ(made.profile.throughput.flops, std::nullopt);
  EXPECT_EQ(made.profile.throughput.tflops, std::nullopt);
  EXPECT_EQ(made.profile.throughput.arithmetic_intensity, std::nullopt);
  EXPECT_EQ(made.profile.roofline.efficiency_pct, std::nullopt);
  EXPECT_EQ(made.profile.roofline.bound, std::nullopt);
  EXPECT_THAT(made.hints, ::testing::Contains(::testing::HasSubstr("--flops")));
}

// cgp R3: operations that were counted, of one launch
// cgp R4: bytes by counters, at every level
TEST(KernelProfile, OperationsAndBytesAreThoseOfOneLaunch) {
  Launch first = counted_launch("10", "500000", "2000000"), second = counted_launch("30", "500000", "4000000");
  for (Launch* one : {&first, &second}) {
    one->counters.push_back({"lts__t_bytes.sum", "byte", "8000000"});
    one->counters.push_back({"l1tex__t_bytes.sum", "byte", "10000000"});
  }
  const KernelProfile made = profile_in(tall_csv({first, second}), {.name = "vector_fma", .gpu_model = "h100"});
  const auto& rates = made.profile.throughput;
  EXPECT_EQ(rates.flops, 1e6);
  EXPECT_EQ(rates.flops_from, "counted");
  EXPECT_EQ(rates.dram_bytes, 3e6);
  EXPECT_DOUBLE_EQ(rates.arithmetic_intensity.value_or(0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(rates.arithmetic_intensity_l2.value_or(0), 1.0 / 8);
  EXPECT_DOUBLE_EQ(rates.arithmetic_intensity_l1.value_or(0), 1.0 / 10);
  EXPECT_DOUBLE_EQ(rates.tflops.value_or(0), 1e6 / 20e-6 / 1e12);
  EXPECT_DOUBLE_EQ(rates.bandwidth_gbps.value_or(0), 6e6 / 40e-6 / 1e9);
  EXPECT_EQ(made.profile.roofline.precision, "fp32");
}

// cgp R4: the names that newer GPUs have for them
TEST(KernelProfile, BytesReadAndWrittenAddUpAlsoByTheirNewerNames) {
  Launch launch{
      "copy",
      8,
      {{"gpu__time_duration.sum", "us", "10"}, {"dram__bytes_op_read.sum", "Mbyte", "2"}, {"dram__bytes_op_write.sum", "byte", "500"}}};
  EXPECT_EQ(profile_in(tall_csv({launch}), {.name = "copy"}).profile.throughput.dram_bytes, 2'000'500);
  launch.counters.pop_back();
  EXPECT_EQ(profile_in(tall_csv({launch}), {.name = "copy"}).profile.throughput.dram_bytes, std::nullopt);
}

struct Gpu {
  std::string_view option, cc, name;
  double fp32_tflops, gbps;
};

// cgp R5, cgp D6: peaks of the given GPU, with their source
TEST(KernelProfile, CeilingsAreThoseOfTheGpu) {
  for (const Gpu& gpu :
       {Gpu{"t4", "7.5", "Tesla T4", 8.1, 320}, Gpu{"a100-sxm4-40gb", "8.0", "NVIDIA A100-SXM4-40GB", 19.5, 1555},
        Gpu{"h100", "9.0", "NVIDIA H100 80GB HBM3", 66.9, 3350}, Gpu{"rtx5080", "12.0", "NVIDIA GeForce RTX 5080", 56.3, 960}}) {
    const KernelProfile made = profile_in(tall_csv({counted_launch("10", "500000", "2000000")}, gpu.cc),
                                          {.name = "vector_fma", .gpu_model = std::string(gpu.option)});
    EXPECT_EQ(made.profile.hardware.gpu, gpu.name);
    EXPECT_EQ(made.profile.hardware.gpu_sm, gpu.cc);
    EXPECT_NEAR(made.profile.roofline.peak_compute_tflops.value_or(0), gpu.fp32_tflops, 0.02 * gpu.fp32_tflops) << gpu.option;
    EXPECT_NEAR(made.profile.roofline.peak_bandwidth_gbps.value_or(0), gpu.gbps, 0.02 * gpu.gbps) << gpu.option;
    EXPECT_THAT(made.profile.provenance.at("roofline.peak_compute_tflops"), ::testing::HasSubstr("data/gpus/"));
  }
}

// cgp R5, cgp D6
TEST(KernelProfile, AnUnknownGpuHasNoPeaks) {
  const KernelProfile made = profile_in(tall_csv({counted_launch("10", "500000", "2000000")}, "42.0"), {.name = "vector_fma"});
  EXPECT_EQ(made.profile.hardware.gpu, std::nullopt);
  EXPECT_EQ(made.profile.roofline.peak_compute_tflops, std::nullopt);
  EXPECT_EQ(made.profile.roofline.ridge_point, std::nullopt);
  EXPECT_TRUE(made.profile.throughput.tflops.has_value());
  EXPECT_TRUE(made.profile.throughput.arithmetic_intensity.has_value());
  EXPECT_THAT(made.hints, ::testing::Contains(::testing::HasSubstr("--gpu-model")));
}

// cgp R5: a second ceiling at the clock that was measured
TEST(KernelProfile, ThePeakAtTheMeasuredClockStandsBesideTheOneAtBoost) {
  Launch launch = counted_launch("10", "500000", "2000000");
  launch.counters.push_back({"gpc__cycles_elapsed.avg.per_second", "Mhz", "990"});
  const auto& roof = profile_in(tall_csv({launch}), {.name = "vector_fma", .gpu_model = "h100"}).profile.roofline;
  EXPECT_DOUBLE_EQ(roof.measured_clock_mhz.value_or(0), 990);
  EXPECT_DOUBLE_EQ(roof.boost_clock_mhz.value_or(0), 1980);
  EXPECT_NEAR(roof.peak_at_measured_clock_tflops.value_or(0), *roof.peak_compute_tflops / 2, 0.01 * *roof.peak_compute_tflops);
}

// cgp R5, cgp D7: the peak of the precision that was executed, dense and with FP32 accumulation
TEST(KernelProfile, ThePrecisionIsThatOfTheInstructions) {
  Launch launch{"my_gemm",
                64,
                {{"gpu__time_duration.sum", "us", "100"},
                 {"dram__bytes.sum", "byte", "1000000"},
                 {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", "40"},
                 {"sm__ops_path_tensor_src_bf16_dst_fp32.sum", "", "2000000000"}}};
  const auto& roof = profile_in(tall_csv({launch}), {.name = "my_gemm", .gpu_model = "h100"}).profile.roofline;
  EXPECT_EQ(roof.precision, "bf16_tensor");
  EXPECT_NEAR(roof.peak_compute_tflops.value_or(0), 989, 1);
  // Nothing tells the type: no peak.
  launch.counters.pop_back();
  const KernelProfile unknown = profile_in(tall_csv({launch}), {.name = "my_gemm", .work = {.flops = "2e9"}, .gpu_model = "h100"});
  EXPECT_EQ(unknown.profile.roofline.precision, std::nullopt);
  EXPECT_EQ(unknown.profile.roofline.peak_compute_tflops, std::nullopt);
  EXPECT_TRUE(unknown.profile.throughput.tflops.has_value());
  EXPECT_THAT(unknown.hints, ::testing::Contains(::testing::HasSubstr("precision")));
  const auto ada = kernel_testing::known().gpus.with_id("rtx4090");
  ASSERT_NE(ada, nullptr);
  EXPECT_NEAR(ada->peak_tflops("fp16_tensor").value_or(0), 165.2, 0.5);
  EXPECT_NEAR(ada->peak_tflops("tf32_tensor").value_or(0), 82.6, 0.3);
}

// Of a product whose tensor cores were not looked at, counted operations may be a small part.
TEST(KernelProfile, WhatMayBeAPartOfTheOperationsIsWithheld) {
  Launch launch = counted_launch("10", "500000", "2000000");
  launch.kernel = "gemm";
  EXPECT_EQ(profile_in(tall_csv({launch}), {.name = "gemm", .gpu_model = "h100"}).profile.throughput.flops, std::nullopt);
  EXPECT_EQ(profile_in(tall_csv({launch}, "6.1"), {.name = "gemm", .gpu_model = "gtx1080"}).profile.throughput.flops, 1e6);
  launch.counters.push_back({"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", "0"});
  EXPECT_EQ(profile_in(tall_csv({launch}), {.name = "gemm", .gpu_model = "h100"}).profile.throughput.flops, 1e6);
}

KernelProfile at_intensity(double share_of_ridge) {
  const auto gpu = kernel_testing::known().gpus.with_id("h100-sxm5-80gb");
  const double ridge = *gpu->peak_tflops("fp32") * 1e12 / (*gpu->memory_bandwidth_gbps * 1e9);
  const double bytes = 1e6;
  return profile_in(
      tall_csv({counted_launch("10", fmt::format("{:.3f}", share_of_ridge * ridge * bytes / 2), fmt::format("{:.0f}", bytes))}),
      {.name = "vector_fma", .gpu_model = "h100"});
}

// cgp R6
TEST(KernelProfile, ATenthAroundTheRidgeIsNearIt) {
  EXPECT_EQ(at_intensity(1).profile.roofline.bound, "near_ridge");
  EXPECT_NEAR(at_intensity(1).profile.roofline.distance_to_ridge.value_or(0), 1, 1e-6);
  EXPECT_NEAR(at_intensity(1).profile.roofline.distance_log2.value_or(9), 0, 1e-6);
  EXPECT_EQ(at_intensity(0.91).profile.roofline.bound, "near_ridge");
  EXPECT_EQ(at_intensity(1.09).profile.roofline.bound, "near_ridge");
  EXPECT_EQ(at_intensity(0.89).profile.roofline.bound, "memory");
  EXPECT_EQ(at_intensity(1.11).profile.roofline.bound, "compute");
}

// cgp R6: against the roof that applies, not against the peak
TEST(KernelProfile, EfficiencyIsThatOfTheAttainableRoof) {
  const auto& quarter = at_intensity(0.25).profile;
  EXPECT_NEAR(quarter.roofline.attainable_tflops.value_or(0), *quarter.roofline.peak_compute_tflops / 4, 0.01);
  EXPECT_NEAR(quarter.roofline.efficiency_pct.value_or(0), 100 * *quarter.throughput.tflops / *quarter.roofline.attainable_tflops, 1e-6);
  EXPECT_NEAR(quarter.roofline.distance_to_ridge.value_or(0), 4, 1e-6);
  EXPECT_NEAR(quarter.roofline.distance_log2.value_or(0), 2, 1e-6);
}

// cgp R7, cgp D9
TEST(KernelProfile, OccupancyIsThatOfActiveCyclesAndSharedMemoryThatOfTheKernel) {
  const Launch launch{"k",
                      64,
                      {{"gpu__time_duration.sum", "us", "10"},
                       {"sm__warps_active.avg.pct_of_peak_sustained_active", "%", "61.5"},
                       {"sm__warps_active.avg.pct_of_peak_sustained_elapsed", "%", "33"},
                       {"smsp__thread_inst_executed_per_inst_executed.ratio", "", "24"},
                       {"launch__shared_mem_per_block_static", "byte/block", "2048"},
                       {"launch__shared_mem_per_block_dynamic", "Kbyte/block", "4"},
                       {"launch__shared_mem_per_block_driver", "byte/block", "1024"},
                       {"launch__registers_per_thread", "register/thread", "64"}}};
  const auto& compute = profile_in(tall_csv({launch}), {.name = "k", .gpu_model = "h100"}).profile.gpu_compute;
  EXPECT_EQ(compute.achieved_occupancy_pct, 61.5);
  EXPECT_EQ(compute.warp_execution_efficiency_pct, 75);
  EXPECT_EQ(compute.shared_memory_per_block, 6048u);
  EXPECT_EQ(compute.shared_memory_driver_per_block, 1024u);
  EXPECT_TRUE(compute.theoretical_occupancy_pct.has_value());
}

// cgp R12, cgp D12
TEST(KernelProfile, WhatWasNotMeasuredIsAbsentAndHasNoBadge) {
  const Launch launch{"k",
                      64,
                      {{"gpu__time_duration.sum", "us", "n/a"},
                       {"lts__t_sector_hit_rate.pct", "%", "n/a"},
                       {"launch__registers_per_thread", "register/thread", "32"}}};
  const KernelProfile made = profile_in(tall_csv({launch}), {.name = "k"});
  EXPECT_EQ(made.profile.timing.wall_clock_time_us, std::nullopt);
  EXPECT_EQ(made.profile.timing.samples, std::nullopt);
  EXPECT_EQ(made.profile.gpu_memory.l2_hit_rate_pct, std::nullopt);
  EXPECT_TRUE(made.badges.empty());
}

// cgp R16
TEST(KernelProfile, BadgesHaveALimitAndARule) {
  const auto badges_with = [](std::string kernel, std::string tensor, std::string warp) {
    return profile_in(tall_csv({Launch{std::move(kernel),
                                       64,
                                       {{"gpu__time_duration.sum", "us", "10"},
                                        {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", std::move(tensor)},
                                        {"smsp__thread_inst_executed_per_inst_executed.pct", "%", std::move(warp)},
                                        {"lts__t_sector_hit_rate.pct", "%", "10"}}}}),
                      {});
  };
  const KernelProfile product = badges_with("gemm", "50", "94.99");
  ASSERT_NE(product.badge("gpu_compute.tensor_core_utilization_pct"), nullptr);
  EXPECT_TRUE(product.badge("gpu_compute.tensor_core_utilization_pct")->is_ok());
  EXPECT_EQ(product.badge("gpu_compute.tensor_core_utilization_pct")->rule, "tensor_utilization");
  EXPECT_FALSE(product.badge("gpu_compute.warp_execution_efficiency_pct")->is_ok());
  EXPECT_TRUE(badges_with("gemm", "50", "95").badge("gpu_compute.warp_execution_efficiency_pct")->is_ok());
  EXPECT_FALSE(product.badge("gpu_memory.l2_hit_rate_pct")->is_ok());
  EXPECT_EQ(badges_with("gemm", "0", "95").badge("gpu_compute.tensor_core_utilization_pct"), nullptr);
  EXPECT_EQ(badges_with("histogram", "10", "95").badge("gpu_compute.tensor_core_utilization_pct"), nullptr);
  EXPECT_EQ(badges_with("vector_add", "0", "95").badge("gpu_memory.l2_hit_rate_pct"), nullptr);
}

// cgp R10, cgp D6: nothing is run, nothing is invented
TEST(KernelProfile, WithoutARunThereIsWhatIsKnownOfTheGpuAndTheOperations) {
  const Result<KernelProfile> named =
      static_kernel_profile({.name = "gemm", .work = {.size = 512}, .gpu_model = "a100-sxm4-40gb"}, kernel_testing::known());
  ASSERT_TRUE(named);
  EXPECT_EQ(named->profile.throughput.flops, 2.0 * 512 * 512 * 512);
  EXPECT_NEAR(named->profile.roofline.ridge_point.value_or(0), 312.0 * 1e3 / 1555, 0.5);
  EXPECT_EQ(named->profile.timing.wall_clock_time_us, std::nullopt);
  EXPECT_EQ(named->profile.estimated, std::nullopt);
  const Result<KernelProfile> other = static_kernel_profile({.name = "softmax", .work = {.size = 512}}, kernel_testing::known());
  ASSERT_TRUE(other);
  EXPECT_EQ(other->profile.throughput.flops, std::nullopt);
  EXPECT_EQ(other->profile.roofline.ridge_point, std::nullopt);
  EXPECT_EQ(static_kernel_profile({.name = "k", .gpu_model = "gtx9999"}, kernel_testing::known()).error().kind, ErrorKind::usage);
}

// cgp R10, cgp D21
TEST(KernelProfile, EstimatesAreAskedForAndMarked) {
  const KernelProfileRequest request{.name = "gemm", .work = {.size = 512}, .gpu_model = "h100", .estimate = true};
  const Result<KernelProfile> made = static_kernel_profile(request, kernel_testing::known());
  ASSERT_TRUE(made);
  EXPECT_EQ(made->profile.estimated, true);
  EXPECT_NEAR(made->profile.timing.wall_clock_time_us.value_or(0), 2.0 * 512 * 512 * 512 / 989.4e6, 0.01);
  EXPECT_THAT(made->profile.provenance.at("timing.wall_clock_time_us"), ::testing::HasSubstr("estimated"));
}

TEST(KernelProfile, FindingsAreWastesWithTheirShareOfTheTime) {
  const Launch launch{"k",
                      640,
                      {{"gpu__time_duration.sum", "us", "100"},
                       {"smsp__thread_inst_executed_per_inst_executed.ratio", "", "8"},
                       {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "80"},
                       {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", "10"},
                       {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", "5"}}};
  const KernelProfile made = profile_in(tall_csv({launch}), {.name = "k", .gpu_model = "h100"});
  const auto at = std::ranges::find(made.profile.muda, "warp_divergence", &model::full_profile::Muda::source);
  ASSERT_NE(at, made.profile.muda.end());
  EXPECT_EQ(at->muda_type, "motion");
  if (at->impact_pct) EXPECT_LE(*at->impact_pct, 100);
}

TEST(KernelProfile, CountersToAskForHaveNamesOfNcu) {
  const std::vector<std::string> counters = counters_of_profile(kernel_testing::known().metrics);
  EXPECT_THAT(counters, ::testing::IsSupersetOf({"sm__throughput.avg.pct_of_peak_sustained_elapsed", "dram__bytes.sum", "lts__t_bytes.sum",
                                                 "l1tex__t_bytes.sum", "launch__registers_per_thread"}));
  for (const std::string& counter : counters) EXPECT_TRUE(kernel_testing::known().metrics.called("", counter, std::nullopt)) << counter;
}

}  // namespace
}  // namespace kernel_profile_test
}  // namespace frx::report
