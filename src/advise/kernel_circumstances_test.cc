#include "advise/kernel_circumstances.h"

#include <gtest/gtest.h>

#include "advise/testing.h"

namespace frx::advise {
namespace {

using namespace testing;

// A profile with one launch of one kernel.
class Asked {
 public:
  explicit Asked(const std::vector<Counter>& rows, std::string_view kernel = "k")
      : run_(Profile().kernel(kernel, rows).diagnosed()),
        circumstances_(run_, run_.kernels.at(0), run_.kernels[0].primary, catalogue().names()) {}

  // The value of a named condition: true, false, or absent where it is inconclusive.
  std::optional<bool> is(std::string_view name) const {
    const auto value = number(name);
    return value ? std::optional(*value != 0) : std::nullopt;
  }
  std::optional<double> number(std::string_view name) const {
    return circumstances_.number(catalogue().names().expression(Domain::kernel, name, "test").value());
  }

 private:
  diagnose::RunDiagnosis run_;
  KernelCircumstances circumstances_;
};

TEST(KernelSignals, WhatWasNotMeasuredCannotBeTold) {
  const Asked only_time({{duration, "ns", 1000}});
  for (const char* name : {"issue_efficiency_low",
                           "issue_efficiency_very_low",
                           "occupancy_low",
                           "eligible_warps_low",
                           "scheduler_active_low",
                           "tensor_core_underutilized",
                           "l1_cache_miss_heavy",
                           "dram_throughput_pct",
                           "memory_bandwidth_saturated",
                           "avg_occupancy_pct",
                           "avg_barrier_stall_pct",
                           "warp_stall_is_memory",
                           "accesses_coalesced",
                           "at_memory_roof",
                           "has_shared_memory",
                           "partial_wave",
                           "mfu_low",
                           "roofline_region.memory_bound",
                           "framework_pytorch",
                           "mixed_precision_enabled",
                           "num_gpus"}) {
    EXPECT_EQ(only_time.number(name), std::nullopt) << name;
  }
  EXPECT_EQ(only_time.is("mixed_precision_unknown"), true);
}

TEST(KernelSignals, DocumentedThresholds) {
  const Asked kernel({{dram, "%", 71}, {issue, "%", 45}, {occupancy, "%", 25}});
  EXPECT_EQ(kernel.is("memory_bandwidth_saturated"), true);
  EXPECT_EQ(kernel.is("issue_efficiency_low"), true);
  EXPECT_EQ(kernel.is("issue_efficiency_very_low"), false);
  EXPECT_EQ(kernel.is("occupancy_low"), true);
  EXPECT_EQ(kernel.is("occupancy_good"), false);
  EXPECT_EQ(kernel.number("dram_throughput_pct"), 71);
}

TEST(KernelSignals, TheDominantStallHasAClassWhenItIsLarge) {
  const Asked memory({{long_scoreboard, "%", 60}, {barrier, "%", 5}});
  EXPECT_EQ(memory.is("warp_stall_is_memory"), true);
  EXPECT_EQ(memory.is("warp_stall_is_throttle"), false);
  EXPECT_EQ(memory.is("warp_stall_is_sync"), false);
  const Asked throttle({{long_scoreboard, "%", 10}, {lg_throttle, "%", 50}});
  EXPECT_EQ(throttle.is("warp_stall_is_memory"), true);
  EXPECT_EQ(throttle.is("warp_stall_is_throttle"), true);
  const Asked barriers({{wait, "%", 20}, {barrier, "%", 50}});
  EXPECT_EQ(barriers.is("warp_stall_is_memory"), false);
  EXPECT_EQ(barriers.is("warp_stall_is_sync"), true);
  EXPECT_EQ(barriers.is("warp_stall_is_compute"), false);
  EXPECT_EQ(Asked({{wait, "%", 50}, {barrier, "%", 20}}).is("warp_stall_is_compute"), true);
  const Asked calm({{long_scoreboard, "%", 3}});
  EXPECT_EQ(calm.is("warp_stall_is_memory"), false);
}

TEST(KernelSignals, OfTwoEqualStallsMemoryCountsFirst) {
  const Asked equal({{long_scoreboard, "%", 40}, {lg_throttle, "%", 40}, {barrier, "%", 40}});
  EXPECT_EQ(equal.is("warp_stall_is_memory"), true);
  EXPECT_EQ(equal.is("warp_stall_is_throttle"), false);
  EXPECT_EQ(equal.is("warp_stall_is_sync"), false);
}

TEST(KernelSignals, TheMemoryRoofNeedsKnownEfficiency) {
  EXPECT_EQ(Asked({{dram, "%", 92}, {load_bytes, "%", 100}}).is("at_memory_roof"), true);
  EXPECT_EQ(Asked({{dram, "%", 92}, {load_sectors, "sector/request", 4}}).is("at_memory_roof"), std::nullopt);
  EXPECT_EQ(Asked({{dram, "%", 92}, {load_sectors, "sector/request", 32}}).is("at_memory_roof"), false);
  const Asked unknown({{dram, "%", 92}});
  EXPECT_EQ(unknown.is("at_memory_roof"), std::nullopt);
  EXPECT_EQ(unknown.is("roof_accesses_unmeasured"), true);
}

TEST(KernelSignals, Waves) {
  constexpr std::string_view waves = "launch__waves_per_multiprocessor";
  EXPECT_EQ(Asked({{waves, "", 0.4}}).is("grid_below_one_wave"), true);
  EXPECT_EQ(Asked({{waves, "", 0.4}}).is("partial_wave"), false);
  EXPECT_EQ(Asked({{waves, "", 1.2}}).is("partial_wave"), true);
  EXPECT_EQ(Asked({{waves, "", 1.98}}).is("partial_wave"), false);
  EXPECT_EQ(Asked({{waves, "", 20.5}}).is("partial_wave"), false);
}

TEST(KernelSignals, SharedMemoryIsWhatTheKernelAskedForOrElseWhatABlockGot) {
  constexpr std::string_view fixed = "launch__shared_mem_per_block_static", both = "launch__shared_mem_per_block",
                             reserved = "launch__shared_mem_per_block_driver";
  EXPECT_EQ(Asked({{fixed, "byte/block", 4096}}).is("has_shared_memory"), true);
  EXPECT_EQ(Asked({{both, "byte/block", 2048}, {reserved, "byte/block", 1024}}).is("has_shared_memory"), true);
  EXPECT_EQ(Asked({{fixed, "byte/block", 0}, {both, "byte/block", 1024}, {reserved, "byte/block", 1024}}).is("has_shared_memory"), false);
  EXPECT_EQ(Asked({{fixed, "byte/block", 0}}).is("has_shared_memory"), std::nullopt);
}

TEST(KernelSignals, ReuseIsMeasuredByBytesAskedForAndDelivered) {
  constexpr std::string_view loads = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                             stores = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", bytes = "dram__bytes.sum";
  const auto asked = [&](double per_dram_byte) {
    return Asked({{loads, "sector", 100 * per_dram_byte}, {stores, "sector", 0}, {bytes, "byte", 3200}}).is("no_data_reuse");
  };
  EXPECT_EQ(asked(1.2), true);
  EXPECT_EQ(asked(4), false);
  EXPECT_EQ(Asked({{dram, "%", 50}}).is("no_data_reuse"), std::nullopt);
}

TEST(KernelSignals, KernelNamesAreEvidenceTheirAbsenceIsNone) {
  EXPECT_EQ(Asked({{dram, "%", 10}}, "void at::native::reduce_kernel<float>(int)").is("framework_pytorch"), true);
  EXPECT_EQ(Asked({{dram, "%", 10}}, "my_kernel").is("framework_pytorch"), std::nullopt);
  EXPECT_EQ(Asked({{dram, "%", 10}}, "ncclDevKernel_AllReduce_Sum_f32").is("is_distributed"), true);
}

TEST(KernelSignals, LabelsHoldAreRuledOutOrCannotBeTold) {
  const Asked kernel({{dram, "%", 92}, {sm, "%", 20}, {load_bytes, "%", 100}});
  EXPECT_EQ(kernel.is("label.memory_bandwidth_bound"), true);
  EXPECT_GT(kernel.number("label.memory_bandwidth_bound.score"), 0.9);
  EXPECT_EQ(kernel.is("label.compute_bound"), false);
  EXPECT_EQ(kernel.is("label.warp_divergence"), std::nullopt);
}

}  // namespace
}  // namespace frx::advise
