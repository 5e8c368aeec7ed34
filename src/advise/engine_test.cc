#include "advise/engine.h"

#include <gtest/gtest.h>

#include <tuple>

#include "advise/testing.h"

namespace frx::advise {
namespace {

using testing::catalogue;
using testing::Given;

using Labels = std::vector<std::pair<std::string_view, double>>;

Given of_run(const testing::Values& values) { return {Domain::run, values}; }
Given of_kernel(const testing::Values& values) { return {Domain::kernel, values}; }

Proposals proposals(const Labels& labels, const Circumstances& circumstances) {
  std::vector<Diagnosed> diagnosed;
  for (const auto& [label, score] : labels) diagnosed.push_back({label, score, &circumstances, 0});
  return propose(catalogue(), diagnosed);
}

using Line = std::tuple<std::string, double, std::string>;

std::vector<Line> rows(const Labels& labels, const Circumstances& circumstances) {
  std::vector<Line> result;
  for (const Proposal& p : proposals(labels, circumstances).proposals) {
    result.emplace_back(p.card->id.substr(4), p.score, p.tier);
  }
  return result;
}

using Rows = std::vector<Line>;

TEST(Engine, InputBound) {
  const Given run = of_run({{"input_fraction", 0.325}, {"gpu_utilization_pct", 41}, {"copy_fraction", 0.01}});
  const Labels labels{{"input_bound", 0.325}};
  EXPECT_EQ(rows(labels, run), (Rows{{"input_num_workers", 0.5284, "advanced"}, {"input_prefetch_factor", 0.489, "advanced"}}));
  const Proposals answer = proposals(labels, run);
  ASSERT_EQ(answer.withheld.size(), 1u);
  EXPECT_EQ(answer.withheld[0].card->id, "rec_input_pinned_memory");
  EXPECT_EQ(answer.withheld[0].evidence[0].second, 0.325);
  ASSERT_EQ(answer.bundles.size(), 1u);
  EXPECT_EQ(answer.bundles[0].label, "Input Pipeline Optimization");
}

TEST(Engine, CopyBound) {
  EXPECT_EQ(rows({{"copy_bound", 0.19}}, of_run({{"copy_fraction", 0.19}})),
            (Rows{{"copy_pinned_memory", 0.5475, "advanced"}, {"copy_overlap", 0.39, "advanced"}}));
}

TEST(Engine, SyncBound) {
  EXPECT_EQ(rows({{"sync_bound", 0.135}}, of_run({{"sync_fraction", 0.135}})),
            (Rows{{"sync_remove_item", 0.5393, "advanced"}, {"sync_batch_logging", 0.4605, "advanced"}}));
}

Given idle() { return of_run({{"gpu_utilization_pct", 22}, {"profiler_windows", 2}, {"mixed_precision_enabled", 0}}); }

TEST(Engine, Underutilized) {
  EXPECT_EQ(rows({{"underutilized_gpu", 0.77}}, idle()), (Rows{{"util_mixed_precision", 0.8935, "try_now"},
                                                               {"util_increase_batch", 0.8935, "try_now"},
                                                               {"util_inspect_kernels", 0.7885, "next"}}));
}

TEST(Engine, LaunchBoundAndUnderutilized) {
  EXPECT_EQ(rows({{"underutilized_gpu", 0.70}, {"launch_bound", 0.50}}, idle()), (Rows{{"util_mixed_precision", 0.8795, "try_now"},
                                                                                       {"util_increase_batch", 0.8795, "try_now"},
                                                                                       {"launch_torch_compile", 0.8395, "try_now"},
                                                                                       {"launch_cuda_graphs", 0.787, "next"},
                                                                                       {"util_inspect_kernels", 0.7745, "next"},
                                                                                       {"launch_fuse_ops", 0.7345, "next"}}));
}

TEST(Engine, MemoryPressure) {
  EXPECT_EQ(rows({{"memory_pressure", 0.95}}, of_run({{"memory_peak_ratio", 0.95}})),
            (Rows{{"mem_reduce_batch", 0.982, "try_now"},
                  {"mem_gradient_checkpointing", 0.982, "try_now"},
                  {"util_mixed_precision", 0.9295, "try_now"},
                  {"mem_reduce_alloc_churn", 0.8245, "next"}}));
}

TEST(Engine, ShapeInstability) {
  EXPECT_EQ(rows({{"shape_instability", 1.0}}, of_run({{"shape_volatility", 1}})),
            (Rows{{"shape_bucket_inputs", 0.9395, "next"}, {"shape_disable_dynamic", 0.782, "next"}}));
}

TEST(Engine, InsufficientTelemetry) {
  EXPECT_EQ(rows({{"insufficient_telemetry", 1.0}}, of_run({})),
            (Rows{{"telemetry_check_hooks", 0.792, "try_now"}, {"telemetry_enable_profiler", 0.687, "next"}}));
}

TEST(Engine, SynchronisationStalls) {
  EXPECT_EQ(rows({{"warp_stall_sync", 0.60}}, of_kernel({{"top_sync_stall_pct", 60}})),
            (Rows{{"ncu_shared_mem_layout", 0.841, "next"}, {"ncu_reduce_syncthreads", 0.652, "next"}}));
}

TEST(Engine, Registers) {
  EXPECT_EQ(rows({{"occupancy_limited_by_registers", 0.625}}, of_kernel({{"label.occupancy_limited_by_registers", 1}})),
            (Rows{{"ncu_reduce_register_pressure", 0.762, "next"}}));
}

TEST(Engine, TensorCores) {
  EXPECT_EQ(rows({{"tensor_core_underutilized", 0.94}}, of_kernel({{"tensor_pct", 6}, {"mixed_precision_enabled", 0}})),
            (Rows{{"ncu_enable_amp", 1.0, "try_now"}, {"ncu_use_tensor_ops", 1.0, "next"}, {"ncu_align_matmul_dims", 0.98, "try_now"}}));
}

TEST(Engine, SaturatedDram) {
  const Given kernel = of_kernel({{"dram_pct", 89},
                                  {"top_memory_stall_pct", 70},
                                  {"l1_cache_hit_rate_pct", 22},
                                  {"l2_cache_hit_rate_pct", 35},
                                  {"global_load_sectors_per_request", 9.3},
                                  {"roofline_region.memory_bound", 1}});
  const Labels labels{{"memory_bandwidth_bound", 0.89}, {"uncoalesced_access", 0.83},   {"l1_cache_thrashing", 0.78},
                      {"l2_cache_thrashing", 0.65},     {"low_issue_efficiency", 0.52}, {"warp_stall_memory", 0.42}};
  EXPECT_EQ(rows(labels, kernel), (Rows{{"ncu_improve_coalescing", 1.0, "next"},
                                        {"ncu_tiling_shared_mem", 0.9385, "next"},
                                        {"ncu_reduce_working_set", 0.8965, "next"},
                                        {"roofline_tiling", 0.8885, "next"},
                                        {"roofline_kernel_fusion", 0.8465, "next"}}));
}

TEST(Engine, AtTheRoofNothingIsTiled) {
  const Given kernel =
      of_kernel({{"dram_pct", 92}, {"top_memory_stall_pct", 70}, {"access_waste_pct", 5}, {"roofline_region.memory_bound", 1}});
  const auto answer = rows({{"memory_bandwidth_bound", 0.92}}, kernel);
  ASSERT_EQ(answer.size(), 2u);
  EXPECT_EQ(std::get<0>(answer[0]), "roofline_kernel_fusion");
  EXPECT_EQ(std::get<0>(answer[1]), "ncu_at_limit_move_less");
}

TEST(Engine, UnmeasuredAccessesRankCoalescingLower) {
  const Proposals answer = proposals({{"memory_bandwidth_bound", 0.9}}, of_kernel({{"dram_pct", 90}, {"roofline_region.memory_bound", 1}}));
  EXPECT_EQ(answer.proposals[0].card->id, "rec_roofline_kernel_fusion");
  EXPECT_EQ(answer.proposals[1].card->id, "rec_ncu_at_limit_move_less");
  EXPECT_EQ(answer.proposals[2].card->id, "rec_ncu_improve_coalescing");
  EXPECT_EQ(answer.proposals[2].guardrails, std::vector<std::string_view>{"unverified_demoted"});
}

TEST(Engine, AnUnknownSignalMatchesNothing) {
  // Neither true nor false: the rule that needs `not` is not enabled, and the suppressor does not apply.
  testing::Values values{{"gpu_utilization_pct", 20}};
  const auto mixed_precision_is_advised = [&] {
    const Proposals answer = proposals({{"underutilized_gpu", 0.9}}, of_run(values));
    return std::ranges::any_of(answer.proposals, [](const Proposal& one) { return one.card->id == "rec_util_mixed_precision"; });
  };
  EXPECT_FALSE(mixed_precision_is_advised());
  EXPECT_EQ(rows({{"underutilized_gpu", 0.9}}, of_run(values)).size(), 2u) << "what needs no answer to that";
  values.emplace_back("mixed_precision_enabled", 0);
  EXPECT_TRUE(mixed_precision_is_advised());
  values.emplace_back("sync_fraction", 0.2);
  EXPECT_TRUE(rows({{"underutilized_gpu", 0.9}}, of_run(values)).empty());
}

TEST(Engine, EquivalentsAndDependencies) {
  const auto pinned = rows({{"input_bound", 0.3}, {"copy_bound", 0.2}}, of_run({{"input_fraction", 0.3}, {"copy_fraction", 0.2}}));
  for (const Line& row : pinned) EXPECT_NE(std::get<0>(row), "input_pinned_memory");

  const Proposals ordered =
      proposals({{"occupancy_limited_by_shared_memory", 0.69}}, of_kernel({{"label.occupancy_limited_by_shared_memory", 1}}));
  ASSERT_EQ(ordered.proposals.size(), 2u);
  EXPECT_EQ(ordered.proposals[0].card->id, "rec_ncu_reduce_shared_memory_footprint");
  EXPECT_DOUBLE_EQ(ordered.proposals[1].score, ordered.proposals[0].score - 0.0001);
  EXPECT_EQ(ordered.proposals[1].priority, "high");  // of the score before
  EXPECT_EQ(ordered.proposals[1].guardrails, std::vector<std::string_view>{"dependency_ordered"});
  EXPECT_EQ(ordered.proposals[1].why_ranked.back(), "placed after the step it builds on");
}

TEST(Engine, MoreGpusRaiseTheSaving) {
  const Proposals many = proposals({{"sync_bound", 0.5}}, of_run({{"sync_fraction", 0.2}, {"num_gpus", 64}}));
  EXPECT_DOUBLE_EQ(many.proposals[0].components.cost_savings, 0.8);  // 0.6 * 0.7 + 0.4 * 0.95
  EXPECT_EQ(many.proposals[0].why_ranked.back(), "high saving across the GPUs in use");
}

TEST(Engine, SignalsOfOneKernelDoNotSilenceAnother) {
  const Given stream = of_kernel({{"dram_pct", 92}, {"access_waste_pct", 5}}), scattered = of_kernel({});
  const Diagnosed diagnosed[] = {{"memory_bandwidth_bound", 0.5, &stream, 0}, {"uncoalesced_access", 0.45, &scattered, 0}};
  const Proposals answer = propose(catalogue(), diagnosed);
  EXPECT_EQ(answer.proposals[0].card->id, "rec_ncu_improve_coalescing");
  EXPECT_EQ(answer.proposals[0].diagnosed, 1u);
}

TEST(Engine, WhatHoldsLocallyOpensTheRuleAndRanksByItsShare) {
  const Given none = of_kernel({});
  const Diagnosed diluted[] = {{"uncoalesced_access", 0.2, &none, 0.0}};
  EXPECT_TRUE(propose(catalogue(), diluted).proposals.empty());
  const Diagnosed local[] = {{"uncoalesced_access", 0.2, &none, 0.8}};
  const Proposals answer = propose(catalogue(), local);
  ASSERT_EQ(answer.proposals.size(), 1u);
  EXPECT_DOUBLE_EQ(answer.proposals[0].components.confidence, 0.2);
  EXPECT_EQ(answer.proposals[0].tier, "advanced");
}

}  // namespace
}  // namespace frx::advise
