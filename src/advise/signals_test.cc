#include "advise/signals.h"

#include <set>

#include "advise/testing.h"

namespace frx::advise {
namespace {

using namespace testing;

SignalMap signals(const std::vector<Counter>& rows, std::string_view kernel = "k") {
  const diagnose::RunDiagnosis run = Profile().kernel(kernel, rows).diagnosed();
  return signals_of(run, run.kernels.at(0), run.kernels[0].primary, known());
}

bool is(const SignalMap& map, std::string_view name, bool value) { return map.meets({name, value}); }

TEST(Signals, AMissingMetricIsAbsentNotZero) {
  const SignalMap only_time = signals({{duration, "ns", 1000}});
  for (const char* name : {"issue_efficiency_low", "issue_efficiency_very_low", "occupancy_low", "eligible_warps_low",
                           "scheduler_active_low", "tensor_core_underutilized", "l1_cache_miss_heavy", "dram_throughput_pct",
                           "memory_bandwidth_saturated", "avg_occupancy_pct", "avg_barrier_stall_pct", "warp_stall_is_memory",
                           "accesses_coalesced", "at_memory_roof", "has_shared_memory", "partial_wave", "mfu_low",
                           "roofline_region", "framework_pytorch", "mixed_precision_enabled", "num_gpus"}) {
    EXPECT_EQ(only_time.find(name), nullptr) << name;
  }
  EXPECT_TRUE(is(only_time, "mixed_precision_unknown", true));
}

TEST(Signals, DocumentedThresholds) {
  const SignalMap map = signals({{dram, "%", 71}, {issue, "%", 45}, {occupancy, "%", 25}});
  EXPECT_TRUE(is(map, "memory_bandwidth_saturated", true));
  EXPECT_TRUE(is(map, "issue_efficiency_low", true));
  EXPECT_TRUE(is(map, "issue_efficiency_very_low", false));
  EXPECT_TRUE(is(map, "occupancy_low", true));
  EXPECT_TRUE(is(map, "occupancy_good", false));
  EXPECT_EQ(map.number("dram_throughput_pct"), 71);
}

TEST(Signals, TheDominantStallHasAClassWhenItIsLarge) {
  const SignalMap memory = signals({{long_scoreboard, "%", 60}, {barrier, "%", 5}});
  EXPECT_TRUE(is(memory, "warp_stall_is_memory", true));
  EXPECT_TRUE(is(memory, "warp_stall_is_throttle", false));
  EXPECT_TRUE(memory.meets({"dominant_warp_stall", std::string("long_scoreboard")}));
  const SignalMap throttle = signals({{long_scoreboard, "%", 10}, {lg_throttle, "%", 50}});
  EXPECT_TRUE(is(throttle, "warp_stall_is_memory", true));
  EXPECT_TRUE(is(throttle, "warp_stall_is_throttle", true));
  const SignalMap calm = signals({{long_scoreboard, "%", 3}});
  EXPECT_TRUE(is(calm, "warp_stall_is_memory", false));
  EXPECT_EQ(calm.find("dominant_warp_stall"), nullptr);
}

TEST(Signals, TheMemoryRoofNeedsKnownEfficiency) {
  EXPECT_TRUE(is(signals({{dram, "%", 92}, {load_sectors, "sector/request", 4}}), "at_memory_roof", true));
  EXPECT_TRUE(is(signals({{dram, "%", 92}, {load_sectors, "sector/request", 32}}), "at_memory_roof", false));
  const SignalMap unknown = signals({{dram, "%", 92}});
  EXPECT_EQ(unknown.find("at_memory_roof"), nullptr);
  EXPECT_TRUE(is(unknown, "roof_accesses_unmeasured", true));
}

TEST(Signals, Waves) {
  constexpr std::string_view waves = "launch__waves_per_multiprocessor";
  EXPECT_TRUE(is(signals({{waves, "", 0.4}}), "grid_below_one_wave", true));
  EXPECT_TRUE(is(signals({{waves, "", 0.4}}), "partial_wave", false));
  EXPECT_TRUE(is(signals({{waves, "", 1.2}}), "partial_wave", true));
  EXPECT_TRUE(is(signals({{waves, "", 1.98}}), "partial_wave", false));
  EXPECT_TRUE(is(signals({{waves, "", 20.5}}), "partial_wave", false));
}

TEST(Signals, KernelNamesAreEvidenceTheirAbsenceIsNone) {
  EXPECT_TRUE(is(signals({{dram, "%", 10}}, "void at::native::reduce_kernel<float>(int)"), "framework_pytorch", true));
  EXPECT_EQ(signals({{dram, "%", 10}}, "my_kernel").find("framework_pytorch"), nullptr);
  EXPECT_TRUE(is(signals({{dram, "%", 10}}, "ncclDevKernel_AllReduce_Sum_f32"), "is_distributed", true));
}

TEST(Signals, EveryNameIsListed) {
  const auto names = signal_names();
  const std::set<std::string_view> listed(names.begin(), names.end());
  EXPECT_EQ(listed.size(), names.size());
  const SignalMap map = signals({{dram, "%", 92}, {sm, "%", 20}, {load_sectors, "sector/request", 4}, {issue, "%", 10}, {barrier, "%", 30},
                                 {"launch__waves_per_multiprocessor", "", 3}, {"launch__registers_per_thread", "register/thread", 40}});
  for (const auto& entry : map.all()) EXPECT_TRUE(listed.contains(entry.first)) << entry.first;
}

}  // namespace
}  // namespace frx::advise
