#include "report/layout/trial_gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace frx::report {
namespace {

using ::testing::HasSubstr;

const knowledge::Library& trial_library() {
  static const knowledge::Library library = knowledge::Library::builtin();
  return library;
}
const knowledge::TrialRules& rules() {
  static const knowledge::TrialRules rules = knowledge::TrialRules::load(trial_library()).value();
  return rules;
}
const knowledge::KernelClasses& kernel_classes() {
  static const knowledge::KernelClasses classes = knowledge::KernelClasses::load(trial_library()).value();
  return classes;
}

OutputDifference output(double largest_difference, double times_tolerance, std::uint64_t outside) {
  OutputDifference one;
  one.name = "out";
  one.dtype = "float32";
  one.elements = 100'000;
  one.outside = outside;
  one.largest_difference = largest_difference;
  one.largest_value = 2;
  one.largest_times_tolerance = times_tolerance;
  return one;
}

// Six windows of `ms` with a jitter of 0.1 %, the first of which does not count.
TrialSide side(double ms, const std::string& plan = "") {
  TrialSide one;
  one.torch = "2.5.0";
  one.plan_sha256 = plan;
  one.modules = plan.empty() ? 0 : 3;
  one.device_kind = "cpu";
  one.device_memory_bytes = 1e10;
  one.peak_memory_bytes = 1e9;
  one.compile.mode = "eager";
  one.namespaces = std::vector<std::string>{"aten"};
  for (const double jitter : {5.0, 1.0, 1.001, 0.999, 1.0, 1.001}) one.windows.push_back({1e6 * ms * jitter, 4.0});
  return one;
}

TrialRun run(bool is_candidate, double ms, bool is_profiled = false) {
  TrialRun one;
  one.is_candidate = is_candidate;
  one.is_profiled = is_profiled;
  one.ranks = {side(ms, is_candidate ? "p" : "")};
  one.traces = {std::nullopt};
  one.differences = {output(0, 0, 0)};
  return one;
}

// A B B A and two profiled runs: 10 ms without the plan, 8 ms with it, equal outputs.
LayoutTrial good() {
  LayoutTrial trial;
  trial.evidence.warmup = 1;
  trial.evidence.plan_sha256 = "p";
  trial.evidence.changes = {{LayoutChange::Kind::memory_format, {"*"}, "channels_last"}};
  trial.plan = LayoutPlan{"", "", "", trial.evidence.changes};
  trial.evidence.runs = {run(false, 10), run(true, 8), run(true, 8), run(false, 10), run(false, 10, true), run(true, 8, true)};
  return trial;
}

LayoutTrial judged(LayoutTrial trial, const knowledge::LayoutPolicy& policy = rules().policy) {
  judge_layout_trial(trial, rules(), policy, kernel_classes());
  return trial;
}

std::string decided(const LayoutTrial& trial) { return std::string(name_of(trial.decision)) + " by " + trial.decided_by; }

TrialRun& candidate(LayoutTrial& trial) { return trial.evidence.runs[1]; }

TEST(LayoutTrial, WhatPassesEveryGateIsValidated) {
  const LayoutTrial trial = judged(good());
  EXPECT_EQ(decided(trial), "promoted by ");
  EXPECT_EQ(trial.status(), "validated");
  EXPECT_EQ(trial.risk, knowledge::LayoutRisk::medium);
  std::vector<std::string_view> outcomes;
  for (const Gate& gate : trial.gates) outcomes.push_back(name_of(gate.outcome));
  EXPECT_THAT(outcomes, ::testing::ElementsAre("passed", "not_applicable", "passed", "not_applicable", "not_applicable", "passed"));
}

TEST(LayoutTrial, ACandidateThatFailsIsRejectedAndABaselineThatFailsIsNoAnswer) {
  LayoutTrial trial = good();
  trial.evidence.runs.resize(2);
  trial.evidence.runs[1].failure = "exit code 3";
  EXPECT_EQ(decided(judged(trial)), "rejected by run");
  trial.evidence.runs.resize(1);
  trial.evidence.runs[0].failure = "exit code 3";
  EXPECT_EQ(decided(judged(trial)), "skipped by run");
}

TEST(LayoutTrial, RunsThatCannotBeComparedAreSkipped) {
  LayoutTrial trial = good();
  candidate(trial).ranks[0].plan_sha256 = "q";
  EXPECT_THAT(judged(trial).reason, HasSubstr("did not apply the plan"));
  trial = good();
  candidate(trial).ranks[0].modules = 0;
  EXPECT_THAT(judged(trial).reason, HasSubstr("matches no module"));
  trial = good();
  candidate(trial).ranks[0].precision.tf32_matmul = true;
  EXPECT_EQ(decided(judged(trial)), "skipped by setup");
  trial = good();
  trial.evidence.runs[3].ranks.clear();
  EXPECT_THAT(judged(trial).reason, HasSubstr("the baseline takes no part"));
}

TEST(NumericsGate, HoldsUpToTheShareAndTheLargestDifference) {
  LayoutTrial trial = good();
  candidate(trial).differences = {output(1e-4, 9.9, 10)};  // 10 of 100,000 are 0.01 %
  EXPECT_EQ(decided(judged(trial)), "promoted by ");
  candidate(trial).differences = {output(1e-4, 9.9, 11)};
  EXPECT_EQ(decided(judged(trial)), "rejected by numerics");
  candidate(trial).differences = {output(1e-4, 10.1, 1)};
  EXPECT_EQ(decided(judged(trial)), "rejected by numerics");
}

TEST(NumericsGate, ATensorAlsoHoldsByItsLargestValue) {
  LayoutTrial trial = good();
  OutputDifference one = output(2 * 0.0039, 40, 5000);
  one.share_of_largest = 0.00390625;
  candidate(trial).differences = {one};
  EXPECT_EQ(decided(judged(trial)), "promoted by ");
  candidate(trial).differences[0].largest_difference = 2 * 0.004;
  EXPECT_EQ(decided(judged(trial)), "rejected by numerics");
  EXPECT_THAT(judged(trial).reason, HasSubstr("40 times the tolerance of float32, and by more than 0.391 % of the largest value, 2"));
}

TEST(NumericsGate, NoiseOfTheBaselineIsAllowedThreeTimes) {
  LayoutTrial trial = good();
  trial.evidence.runs[3].differences = {output(1e-3, 80, 500)};  // A against A'
  candidate(trial).differences = {output(2.9e-3, 230, 900)};
  EXPECT_EQ(decided(judged(trial)), "promoted by ");
  candidate(trial).differences = {output(3.1e-3, 250, 900)};
  EXPECT_EQ(decided(judged(trial)), "rejected by numerics");
}

TEST(NumericsGate, NothingFollowsFromABaselineThatIsNotRepeatable) {
  LayoutTrial trial = good();
  trial.evidence.runs[3].differences = {output(0.11, 9000, 90'000)};  // 5.5 % of the largest value, 2
  EXPECT_EQ(decided(judged(trial)), "skipped by numerics");
  EXPECT_THAT(judged(trial).reason, HasSubstr("fournex.layout.seed()"));
}

TEST(NumericsGate, NewNanOtherSizesAndAMissingOutputFail) {
  LayoutTrial trial = good();
  candidate(trial).differences[0].newly_not_finite = 1;
  EXPECT_EQ(decided(judged(trial)), "rejected by numerics");
  trial = good();
  candidate(trial).differences[0].mismatch = "the sizes differ";
  EXPECT_THAT(judged(trial).reason, HasSubstr("out: the sizes differ"));
}

TEST(NumericsGate, WithoutOutputsAndLossesNothingIsAssessed) {
  LayoutTrial trial = good();
  for (TrialRun& one : trial.evidence.runs) one.differences.clear();
  EXPECT_EQ(decided(judged(trial)), "skipped by numerics");
}

void set_losses(LayoutTrial& trial, const std::vector<double>& before, const std::vector<double>& after) {
  for (TrialRun& one : trial.evidence.runs) one.ranks[0].losses = one.is_candidate ? after : before;
}

TEST(NumericsGate, TheLastLossMayBeFivePercentWorse) {
  LayoutTrial trial = good();
  set_losses(trial, {4, 2, 1}, {4.1, 2.05, 1.04});
  EXPECT_EQ(decided(judged(trial)), "promoted by ");
  set_losses(trial, {4, 2, 1}, {4, 2, 1.06});
  EXPECT_THAT(judged(trial).reason, HasSubstr("more than 5 % worse"));
  set_losses(trial, {4, 2, 1}, {4, 2.2, 1});  // 10 % off in the middle
  EXPECT_THAT(judged(trial).reason,
              HasSubstr("the loss of window 1 is 2.2 with the change, outside of the band of the baseline, 1.9 to 2.1"));
  set_losses(trial, {4, 2, 1}, {4, std::numeric_limits<double>::quiet_NaN(), 1});
  EXPECT_THAT(judged(trial).reason, HasSubstr("not finite"));
  set_losses(trial, {4, 2, 1}, {4, 2});
  EXPECT_EQ(decided(judged(trial)), "skipped by numerics");
}

TEST(NumericsGate, TheBandIsAsWideAsTheBaselinesAreApart) {
  LayoutTrial trial = good();
  set_losses(trial, {4, 2, 1}, {4, 2.7, 1});
  trial.evidence.runs[3].ranks[0].losses = {4, 2.4, 1};  // the baselines are at 2 and 2.4: the band goes from 1.6 to 2.8
  EXPECT_EQ(decided(judged(trial)), "promoted by ");
}

void set_kernels(LayoutTrial& trial, std::map<std::string, double> before, double ns_before, std::map<std::string, double> after,
                 double ns_after) {
  trial.evidence.runs[4].traces[0] = TrialTrace{std::move(before), ns_before, {}, false, {"aten"}};
  trial.evidence.runs[5].traces[0] = TrialTrace{std::move(after), ns_after, {}, false, {"aten"}};
  for (TrialRun& one : trial.evidence.runs) one.ranks[0].device_kind = "cuda";
}

TEST(KernelGate, ReplacedLayoutKernelsPass) {
  LayoutTrial trial = good();
  set_kernels(trial, {{"cudnn::ops::nchwToNhwcKernel", 2}, {"sm80_xmma_fprop_implicit_gemm_f16f16_nhwckrsc_nchw", 1}}, 9e6,
              {{"sm80_xmma_fprop_implicit_gemm_f16f16_nhwckrsc_nhwc", 1}}, 7e6);
  const LayoutTrial done = judged(trial);
  EXPECT_EQ(decided(done), "promoted by ");
  EXPECT_THAT(done.gates[1].details, ::testing::Contains("removed: cudnn::ops::nchwToNhwcKernel, 2 a window"));
}

TEST(KernelGate, NewCopiesThatAreSlowerFailAndFasterOnesAreForAPerson) {
  LayoutTrial trial = good();
  set_kernels(trial, {{"conv", 1}}, 7e6, {{"conv", 1}, {"nhwcToNchwKernel", 1}}, 9e6);
  EXPECT_EQ(decided(judged(trial)), "rejected by kernel_identity");
  set_kernels(trial, {{"conv", 1}}, 9e6, {{"conv", 1}, {"nhwcToNchwKernel", 1}}, 7e6);
  EXPECT_EQ(decided(judged(trial)), "inconclusive by kernel_identity");
  EXPECT_EQ(judged(trial).gates[1].outcome, GateOutcome::manual);
}

TEST(KernelGate, LossOfTensorCoresAndFallbacksAreUnexpected) {
  LayoutTrial trial = good();
  set_kernels(trial, {{"ampere_fp16_s16816gemm_fp16_128x64", 2}}, 7e6, {{"ampere_sgemm_128x64_nn", 2}}, 9e6);
  EXPECT_THAT(judged(trial).reason, HasSubstr("0 products on tensor cores a window, before 2"));
  set_kernels(trial, {{"conv", 1}}, 7e6, {{"at::native::conv_depthwise2d_forward_kernel", 1}}, 9e6);
  EXPECT_THAT(judged(trial).reason, HasSubstr("1 fallback kernels a window, before 0"));
}

TEST(KernelGate, KernelsThatWereNotRecordedOnAGpuAreNotAssessed) {
  LayoutTrial trial = good();
  for (TrialRun& one : trial.evidence.runs) one.ranks[0].device_kind = "cuda";
  EXPECT_EQ(decided(judged(trial)), "skipped by kernel_identity");
}

LayoutTrial timed(double before, double after, double again) {
  LayoutTrial trial = good();
  trial.evidence.runs = {run(false, before), run(true, after),         run(true, after),
                         run(false, again),  run(false, before, true), run(true, after, true)};
  return judged(trial);
}

TEST(PerformanceGate, TheGainHasToExceedTwoPercent) {
  EXPECT_EQ(decided(timed(10, 9.5, 10)), "promoted by ");  // 5.3 %
  EXPECT_EQ(decided(timed(10, 9.9, 10)), "rejected by throughput_memory");
  EXPECT_EQ(decided(timed(10, 11, 10)), "rejected by throughput_memory");
}

TEST(PerformanceGate, TheGainHasToExceedTwiceTheNoiseOfTheBaseline) {
  const LayoutTrial trial = timed(10, 9.5, 10.3);  // runs of the baseline are 3 % apart: 6 % are required, 6.8 % on the mean were gained
  EXPECT_NE(decided(trial), "promoted by ");
  EXPECT_NEAR(*trial.gates[2].numbers[5].limit, 6.0, 0.01);
}

TEST(PerformanceGate, AnIntervalAcrossTheLimitIsInconclusive) {
  LayoutTrial trial = good();
  for (TrialRun& one : trial.evidence.runs) {
    if (!one.is_candidate) continue;
    one.ranks[0].windows.clear();
    for (const double ms : {1.0, 6.0, 9.0, 12.0, 7.0, 14.0}) one.ranks[0].windows.push_back({1e6 * ms, 4.0});
  }
  EXPECT_EQ(decided(judged(trial)), "inconclusive by throughput_memory");
}

TEST(PerformanceGate, MemoryMayGrowByFivePercentAndStayBelowNineTenthsOfTheDevice) {
  LayoutTrial trial = good();
  candidate(trial).ranks[0].peak_memory_bytes = 1.049e9;
  EXPECT_EQ(decided(judged(trial)), "promoted by ");
  candidate(trial).ranks[0].peak_memory_bytes = 1.051e9;
  EXPECT_THAT(judged(trial).reason, HasSubstr("5.1 % higher, more than 5 %"));
  trial = good();
  for (TrialRun& one : trial.evidence.runs) one.ranks[0].device_memory_bytes = 1.1e9;  // 1 of 1.1 GB are 91 %
  EXPECT_THAT(judged(trial).reason, HasSubstr("91 % of the device"));
  trial = good();
  for (TrialRun& one : trial.evidence.runs) one.ranks[0].peak_memory_bytes.reset();
  EXPECT_EQ(decided(judged(trial)), "skipped by throughput_memory");
}

TEST(PerformanceGate, TooFewWindowsAreNoAnswer) {
  LayoutTrial trial = good();
  for (TrialRun& one : trial.evidence.runs) one.ranks[0].windows.resize(3);  // 2 that count in each of 2 runs
  EXPECT_THAT(judged(trial).reason, HasSubstr("4 and 4 windows were measured, fewer than 5 a side"));
}

TEST(PerformanceGate, TimesAreByItemWhereEveryWindowSaysThem) {
  LayoutTrial trial = good();
  EXPECT_TRUE(times_of(trial.evidence).per_item);
  EXPECT_DOUBLE_EQ(times_of(trial.evidence).baseline[0][0], 2.5e6);  // 10 ms for 4 items
  candidate(trial).ranks[0].windows[2].items.reset();
  EXPECT_FALSE(times_of(trial.evidence).per_item);
  EXPECT_DOUBLE_EQ(times_of(trial.evidence).baseline[0][0], 1e7);
}

void set_compiled(LayoutTrial& trial, std::int64_t recompiles_before, std::int64_t recompiles_after) {
  for (TrialRun& one : trial.evidence.runs)
    one.ranks[0].compile = {"torch.compile", "torch._dynamo", 1, 0, one.is_candidate ? recompiles_after : recompiles_before, 0};
}

TEST(CompileGate, MoreRecompilationsFail) {
  LayoutTrial trial = good();
  set_compiled(trial, 1, 1);
  EXPECT_EQ(decided(judged(trial)), "promoted by ");
  set_compiled(trial, 1, 6);
  EXPECT_EQ(decided(judged(trial)), "rejected by compile_stability");
  EXPECT_EQ(judged(trial).reason, "6 recompilations, before 1");
}

TEST(CompileGate, AnotherModeFailsAndACompilerWithoutCountersIsNotAssessed) {
  LayoutTrial trial = good();
  for (TrialRun& one : trial.evidence.runs) one.ranks[0].compile.mode = one.is_candidate ? "eager" : "torch.compile";
  EXPECT_EQ(decided(judged(trial)), "rejected by compile_stability");
  for (TrialRun& one : trial.evidence.runs) one.ranks[0].compile.mode = "tensorrt";
  EXPECT_EQ(decided(judged(trial)), "skipped by compile_stability");
}

// Two ranks with DistributedDataParallel, whose collectives were recorded.
LayoutTrial on_two_ranks() {
  LayoutTrial trial = good();
  for (TrialRun& one : trial.evidence.runs) {
    one.ranks.push_back(one.ranks[0]);
    one.ranks[1].rank = 1;
    for (TrialSide& each : one.ranks) each.distributed = {true, 2, 1, "nccl", {"DistributedDataParallel"}};
    one.traces.assign(2, std::nullopt);
    if (!one.is_profiled) continue;
    one.traces.assign(2, TrialTrace{{}, 0, {"allreduce Float 64 -> 64 of group 0"}, true, {"aten"}});
  }
  return trial;
}

TEST(DistributedGate, EqualSequencesOnAllRanksPass) { EXPECT_EQ(decided(judged(on_two_ranks())), "promoted by "); }

TEST(DistributedGate, OtherCollectivesPlansAndMessagesFail) {
  LayoutTrial trial = on_two_ranks();
  trial.evidence.runs[5].traces[1]->collectives = {"allreduce Float 32 -> 32 of group 0"};
  EXPECT_EQ(decided(judged(trial)), "rejected by distributed");
  trial = on_two_ranks();
  candidate(trial).ranks[1].plan_sha256 = "";
  EXPECT_EQ(judged(trial).reason, "rank 1 applied another plan than rank 0");
  trial = on_two_ranks();
  candidate(trial).messages = {"Grad strides do not match bucket view strides"};
  EXPECT_EQ(decided(judged(trial)), "rejected by distributed");
}

TEST(DistributedGate, WhatIsNotCheckedIsSkipped) {
  LayoutTrial trial = on_two_ranks();
  candidate(trial).ranks.pop_back();
  EXPECT_EQ(judged(trial).reason, "1 of 2 ranks reported");
  trial = on_two_ranks();
  for (TrialRun& one : trial.evidence.runs) one.traces.assign(2, std::nullopt);
  EXPECT_EQ(decided(judged(trial)), "skipped by distributed");
}

TEST(DistributedGate, ShardedModelsAndOwnGroupsNeedAnExplicitYes) {
  LayoutTrial trial = on_two_ranks();
  for (TrialRun& one : trial.evidence.runs) one.ranks[0].distributed.wrappers = {"FullyShardedDataParallel"};
  EXPECT_EQ(decided(judged(trial)), "skipped by distributed");
  knowledge::LayoutPolicy policy = rules().policy;
  policy.allow_distributed = true;
  EXPECT_EQ(decided(judged(trial, policy)), "promoted by ");
  trial = on_two_ranks();
  for (TrialRun& one : trial.evidence.runs) one.ranks[0].distributed.groups = 3;
  EXPECT_THAT(judged(trial).reason, HasSubstr("there are 3 groups of processes"));
  trial = on_two_ranks();
  for (TrialRun& one : trial.evidence.runs) one.ranks[0].distributed.wrappers.clear();
  EXPECT_THAT(judged(trial).reason, HasSubstr("calls collectives by itself"));
}

TEST(CustomOpsGate, OperatorsOutsideOfPyTorchAreSkipped) {
  LayoutTrial trial = good();
  candidate(trial).ranks[0].namespaces = {"aten", "mylib"};
  EXPECT_EQ(decided(judged(trial)), "skipped by custom_ops");
  EXPECT_THAT(judged(trial).reason, HasSubstr("operators of mylib"));
  knowledge::LayoutPolicy policy = rules().policy;
  policy.allow_custom_ops = true;
  EXPECT_EQ(decided(judged(trial, policy)), "promoted by ");
  for (TrialRun& one : trial.evidence.runs) one.ranks[0].namespaces.reset();
  EXPECT_EQ(decided(judged(trial)), "skipped by custom_ops");
}

TEST(LayoutPolicy, GatesObeyIt) {
  knowledge::LayoutPolicy policy = rules().policy;
  policy.least_gain_pct = 30;  // 25 % were gained
  EXPECT_EQ(decided(judged(good(), policy)), "rejected by throughput_memory");
  policy = rules().policy;
  policy.largest_risk = knowledge::LayoutRisk::low;
  EXPECT_EQ(decided(judged(good(), policy)), "skipped by policy");
  policy.largest_risk = knowledge::LayoutRisk::medium;
  LayoutTrial trial = good();
  set_compiled(trial, 0, 0);  // raises the risk to high
  EXPECT_EQ(decided(judged(trial, policy)), "skipped by policy");
  policy = rules().policy;
  policy.changes = {"contiguous"};
  EXPECT_EQ(decided(judged(good(), policy)), "skipped by policy");
}

}  // namespace
}  // namespace frx::report
