#include "advise/advice.h"

#include "advise/kernel_filter.h"
#include "advise/testing.h"

namespace frx::advise {
namespace {

using namespace testing;

struct Case {
  explicit Case(const Profile& profile) : run(profile.diagnosed()), advice(advise(run, catalogue(), known()).value()) {}

  const Recommendation* find(std::string_view id) const {
    for (const Recommendation& r : advice.recommendations) {
      if (r.id == id) return &r;
    }
    return nullptr;
  }
  std::string_view first() const { return advice.recommendations.empty() ? "" : advice.recommendations[0].id; }

  diagnose::RunDiagnosis run;
  Advice advice;
};

TEST(Advice, AStreamAtTheRoofIsToldToMoveLess) {
  const Case c(Profile().kernel("stream", {{duration, "ns", 1e6}, {dram, "%", 92}, {sm, "%", 14}, {load_bytes, "%", 100}}));
  EXPECT_EQ(c.first(), "rec_roofline_kernel_fusion");
  ASSERT_TRUE(c.find("rec_ncu_at_limit_move_less"));
  for (const char* id : {"rec_ncu_improve_coalescing", "rec_ncu_tiling_shared_mem", "rec_roofline_tiling", "rec_ncu_reduce_working_set"}) {
    EXPECT_FALSE(c.find(id)) << id;
  }
}

// Four sectors for each request are all that 4-byte accesses need, and four times what 1-byte accesses do.
TEST(Advice, BetweenTheBoundsOfWasteCoalescingIsUnverifiedAdvice) {
  const Case c(Profile().kernel("stream", {{duration, "ns", 1e6}, {dram, "%", 92}, {sm, "%", 14}, {load_sectors, "sector/request", 4}}));
  EXPECT_EQ(c.first(), "rec_roofline_kernel_fusion");
  const Recommendation* coalescing = c.find("rec_ncu_improve_coalescing");
  ASSERT_TRUE(coalescing);
  EXPECT_NE(coalescing, &c.advice.recommendations.front());
}

TEST(Advice, FewerBytesAreNotBoundedByTheDistanceToTheRoof) {
  const Case c(Profile().kernel("stream", {{duration, "ns", 1e6}, {dram, "%", 92}, {sm, "%", 14}, {load_bytes, "%", 100}}));
  const Recommendation* fusion = c.find("rec_roofline_kernel_fusion");
  ASSERT_TRUE(fusion);
  EXPECT_EQ(fusion->estimated_speedup_pct_max, 50);
  EXPECT_FALSE(fusion->speedup_bound_pct);
}

TEST(Advice, TheShareOfTheRunBoundsEveryGain) {
  const Case c(Profile()
                   .kernel("stream", {{duration, "ns", 1e6}, {dram, "%", 92}, {sm, "%", 14}, {load_bytes, "%", 100}})
                   .kernel("other", {{duration, "ns", 9e6}, {dram, "%", 30}, {sm, "%", 70}}));
  const Recommendation* fusion = c.find("rec_roofline_kernel_fusion");
  ASSERT_TRUE(fusion);
  EXPECT_EQ(fusion->kernel, "stream");
  EXPECT_DOUBLE_EQ(*fusion->time_at_stake_ns, 1e6);
  EXPECT_DOUBLE_EQ(*fusion->speedup_bound_pct, 11.11);
  EXPECT_DOUBLE_EQ(*fusion->estimated_speedup_pct_max, 11.11);
  EXPECT_EQ(*fusion->estimated_speedup_pct_min, 0);  // the table's 15 is more than the bound
  ASSERT_EQ(fusion->notes.size(), 1u);
  EXPECT_NE(fusion->notes[0].find("at 11.11 %"), std::string::npos) << fusion->notes[0];
}

TEST(Advice, AFindingBoundsWhatItsFixCanGive) {
  // 25 % of the time in barriers: 1 / (1 - 0.25) = 33 %.
  const Case c(Profile().kernel(
      "k", {{duration, "ns", 1e6}, {barrier, "%", 25}, {long_scoreboard, "%", 5}, {wait, "%", 9}, {dram, "%", 20}, {sm, "%", 30}}));
  const Recommendation* sync = c.find("rec_ncu_reduce_syncthreads");
  ASSERT_TRUE(sync);
  EXPECT_DOUBLE_EQ(*sync->time_at_stake_ns, 0.25e6);
  EXPECT_DOUBLE_EQ(*sync->speedup_bound_pct, 33.33);
  EXPECT_EQ(sync->label, "warp_stall_sync");
  EXPECT_EQ(sync->triggered_by, "rule_ncu_warp_stall_sync");
}

TEST(Advice, CurrentValuesAreMeasuredOrAbsent) {
  const Case c(Profile().kernel(
      "k", {{duration, "ns", 1e6}, {barrier, "%", 45}, {long_scoreboard, "%", 5}, {wait, "%", 9}, {dram, "%", 20}, {sm, "%", 30}}));
  const Recommendation* sync = c.find("rec_ncu_reduce_syncthreads");
  ASSERT_TRUE(sync);
  ASSERT_EQ(sync->validation_steps.size(), 2u);
  EXPECT_EQ(sync->validation_steps[0].current_value, 45);
  EXPECT_EQ(sync->validation_steps[0].unit, "%");
  EXPECT_FALSE(sync->validation_steps[1].current_value);
  EXPECT_EQ(sync->validation_steps[1].threshold_good, 55);
}

TEST(Advice, PredictionsHaveTheValueOfTheirKernelNow) {
  const Case c(Profile().kernel("gather", {{duration, "ns", 1e5}, {load_sectors, "sector/request", 32}, {dram, "%", 70}}));
  const Recommendation* coalesce = c.find("rec_ncu_improve_coalescing");
  ASSERT_TRUE(coalesce);
  ASSERT_EQ(coalesce->predictions.size(), 2u);
  EXPECT_EQ(coalesce->predictions[0].now, 32);
  EXPECT_EQ(coalesce->predictions[0].bound->value, 24);
  EXPECT_EQ(coalesce->predictions[1].now, 1e5);
}

TEST(Advice, TheValidationCommandRunsAsPrinted) {
  const Profile one =
      Profile().kernel("k", {{duration, "ns", 1e6}, {barrier, "%", 45}, {long_scoreboard, "%", 5}, {wait, "%", 9}, {dram, "%", 20}});
  EXPECT_EQ(Case(one).advice.validation_command,
            "ncu --csv --log-file report.csv --metrics "
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,smsp__warp_issue_stalled_barrier_per_warp_active.pct,"
            "sm__issue_active.avg.pct_of_peak_sustained_active,gpu__time_duration.sum ./your_app");
  Profile two;
  two.kernel("void ns::sum<float>(float*)",
             {{duration, "ns", 1e6}, {barrier, "%", 45}, {long_scoreboard, "%", 5}, {wait, "%", 9}, {dram, "%", 20}});
  two.kernel("other", {{duration, "ns", 10}, {dram, "%", 20}});
  const std::string command = Case(two).advice.validation_command;
  EXPECT_NE(command.find(" --kernel-name 'regex:^sum$' ./your_app"), std::string::npos) << command;
}

TEST(Advice, TooLittleDataAsksForMore) {
  EXPECT_EQ(Case(Profile().kernel("k", {{duration, "ns", 1e6}})).first(), "rec_ncu_collect_metrics");
  const Case idle(Profile().kernel("k", {{duration, "ns", 1e6}, {dram, "%", 20}, {sm, "%", 30}}));
  EXPECT_EQ(idle.first(), "rec_ncu_find_the_wait");
  EXPECT_EQ(idle.advice.validation_command, "");
}

TEST(Advice, PlainCudaIsNotToldToUseAmp) {
  const Case c(Profile().kernel(
      "hgemm_naive_half",
      {{duration, "ns", 1e6}, {dram, "%", 20}, {sm, "%", 50}, {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "%", 6}}));
  EXPECT_FALSE(c.find("rec_ncu_enable_amp"));
  EXPECT_TRUE(c.find("rec_ncu_use_tensor_ops"));
}

constexpr std::string_view tensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";

TEST(Advice, WhatUsesTheTensorCoresIsNotSentToThem) {
  for (const char* name : {"hgemm_wmma_half", "cutlass_80_simt_hgemm_f16", "cutlass_tensorop_bf16_gemm"}) {
    const Case c(Profile().kernel(name, {{duration, "ns", 1e6}, {dram, "%", 20}, {sm, "%", 50}, {tensor, "%", 6}}));
    EXPECT_FALSE(c.find("rec_ncu_use_tensor_ops")) << name;
    EXPECT_TRUE(c.find("rec_ncu_align_matmul_dims")) << name;
  }
  const Case busy(Profile().kernel("hgemm_half", {{duration, "ns", 1e6}, {dram, "%", 20}, {sm, "%", 50}, {tensor, "%", 22}}));
  EXPECT_FALSE(busy.find("rec_ncu_use_tensor_ops"));
}

TEST(Advice, AStreamIsNotTiled) {
  const auto of = [](const char* name) {
    return Case(Profile().kernel(
        name, {{duration, "ns", 1e6}, {dram, "%", 40}, {sm, "%", 20}, {long_scoreboard, "%", 70}, {barrier, "%", 0}, {wait, "%", 9}}));
  };
  EXPECT_TRUE(of("stencil3d(float*)").find("rec_ncu_tiling_shared_mem"));
  for (const char* name :
       {"vector_add(float*)", "saxpy(int, float*)", "void at::native::vectorized_elementwise_kernel<4>()", "copy_rows(int*)"}) {
    EXPECT_FALSE(of(name).find("rec_ncu_tiling_shared_mem")) << name;
  }
}

// Limits of blocks per SM by registers, shared memory, block and warp slots, and the occupancy they allow.
Case limited(double registers, double shared, double blocks, double warps, double theoretical, double achieved) {
  return Case(Profile().kernel("k", {{duration, "ns", 1e6},
                                     {dram, "%", 20},
                                     {sm, "%", 30},
                                     {"launch__block_size", "", 64},
                                     {"launch__occupancy_limit_registers", "block", registers},
                                     {"launch__occupancy_limit_shared_mem", "block", shared},
                                     {"launch__occupancy_limit_blocks", "block", blocks},
                                     {"launch__occupancy_limit_warps", "block", warps},
                                     {"sm__maximum_warps_per_active_cycle_pct", "%", theoretical},
                                     {"sm__warps_active.avg.pct_of_peak_sustained_active", "%", achieved}}));
}

TEST(Advice, FewerRegistersOrLargerBlocksOnlyWhereTheyMakeRoom) {
  constexpr std::string_view fewer = "rec_ncu_reduce_register_pressure", larger = "rec_ncu_increase_block_size";
  EXPECT_TRUE(limited(2, 16, 32, 8, 25, 24).find(fewer));
  EXPECT_FALSE(limited(8, 16, 32, 8, 100, 30).find(fewer)) << "every warp slot can be used as it is";
  EXPECT_FALSE(limited(4, 16, 4, 8, 50, 38).find(fewer)) << "block slots allow no more either";
  EXPECT_TRUE(limited(64, 100, 16, 48, 33, 32).find(larger));
  EXPECT_FALSE(limited(2, 16, 32, 8, 25, 24).find(larger)) << "registers run out before block slots";
  EXPECT_FALSE(limited(64, 100, 48, 48, 100, 30).find(larger)) << "every warp slot can be used as it is";
}

TEST(Advice, TheFirstCardAnswersWhatLeads) {
  const Case c(Profile().kernel("k", {{duration, "ns", 1e6},
                                      {dram, "%", 91},
                                      {sm, "%", 20},
                                      {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request", 4}}));
  ASSERT_FALSE(c.advice.recommendations.empty());
  EXPECT_EQ(c.advice.recommendations[0].label, c.run.primary);
}

TEST(SpeedupBound, OfTheRun) {
  EXPECT_DOUBLE_EQ(*speedup_bound_pct(100, 50), 100);
  EXPECT_DOUBLE_EQ(*speedup_bound_pct(100, 0), 0);
  EXPECT_FALSE(speedup_bound_pct(100, 100));
  EXPECT_FALSE(speedup_bound_pct(0, 0));
}

TEST(KernelFilter, BaseNames) {
  EXPECT_EQ(kernel_base_name("saxpy(int, float *)"), "saxpy");
  EXPECT_EQ(kernel_base_name("void at::native::reduce<4, at::op<float, (int)2>>(int, T2)"), "reduce");
  EXPECT_EQ(kernel_base_name("enable_if<!T7, void>::type kernel<int, float>(T13)"), "kernel");
  EXPECT_EQ(kernel_base_name("void (anonymous namespace)::softmax<float>(float*)"), "softmax");
  EXPECT_EQ(kernel_base_name("void unnamed>::gemm_tiled<(int)16>(const float *)"), "gemm_tiled");
  EXPECT_EQ(kernel_base_name("void vec<4, <unnamed>::silu(T &)::[lambda() -> float]>(int)"), "vec");
  EXPECT_EQ(kernel_base_name("ampere_sgemm_128x64_nn"), "ampere_sgemm_128x64_nn");
}

TEST(KernelFilter, Regex) {
  const std::string_view names[] = {"a(int)", "ns::b<3>(float)", "a(int)"};
  EXPECT_EQ(kernel_filter(names), "regex:^(a|b)$");
  EXPECT_EQ(kernel_filter({names, 1}), "regex:^a$");
  EXPECT_EQ(kernel_filter({}), "");
}

}  // namespace
}  // namespace frx::advise
