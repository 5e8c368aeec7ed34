#include "report/judge/check.h"

#include <gmock/gmock.h>

#include "report/judge/attempts.h"
#include "report/judge/claims.h"
#include "report/judge/launch_proposals.h"
#include "report/judge/testing.h"

namespace frx::report {
namespace {

using testing::codes;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using testing::bench;
const JudgeSubject& wasteful() {
  static const JudgeSubject subject = bench().subject(testing::wasteful_kernel).value();
  return subject;
}

std::string entry(std::string_view category, std::string_view cause, std::string_view metrics = {},
                  std::string_view suggestion = "Load each element once.") {
  constexpr std::string_view usual =
      R"("dram__throughput.avg.pct_of_peak_sustained_elapsed", "l1tex__t_sector_hit_rate.pct", "sm__warps_active.avg.pct_of_peak_sustained_active")";
  return fmt::format(
      R"({{"category": "{}", "root_cause": "{}", "suggestion": "{}", "priority_metrics": [{}], "expected_improvement": "Up to twice as fast."}})",
      category, cause, suggestion, metrics.empty() ? usual : metrics);
}
std::string reply(const std::string& first, const std::string& second = entry("latency-bound", "Long scoreboard stalls are 61.4%.")) {
  return fmt::format(R"({{"bottleneck_1": {}, "bottleneck_2": {}}})", first, second);
}
JudgeVerdict verdict(const std::string& text, const CheckRequest& request = {}) { return bench().check(wasteful(), text, request); }

std::vector<std::string> fits(std::string_view text) {
  constexpr std::string_view names[] = {"fits", "wrong_value", "wrong_unit", "not_measured"};
  std::vector<std::string> result;
  for (const Claim& claim : ClaimReader(wasteful()).claims_in(text))
    result.push_back(fmt::format("{} {} {}", claim.about, claim.text, names[static_cast<int>(claim.fit)]));
  return result;
}

// kdiag 7
TEST(CheckReply, AcceptsWhatHolds) {
  const JudgeVerdict good = verdict(reply(entry("memory-bound", "DRAM throughput is 71.25% and only 24.4% memory coalescing.")));
  EXPECT_TRUE(good.is_valid()) << good.ask_again;
  EXPECT_EQ(good.citations, 3u);
  EXPECT_EQ(good.score(), 1);
  EXPECT_THAT(good.warnings, IsEmpty());
}

// kdiag 7
TEST(CheckReply, CategoriesDifferAndAreKnown) {
  EXPECT_THAT(codes(verdict(reply(entry("memory-bound", "It waits."), entry("memory-bound", "It waits too."))).errors),
              ElementsAre("category_repeated"));
  EXPECT_THAT(codes(verdict(reply(entry("bandwidth-bound", "It waits."))).errors), ElementsAre("category_unknown"));
  const JudgeVerdict shouted = verdict(reply(entry("MEMORY-BOUND", "It waits.")));
  EXPECT_TRUE(shouted.is_valid());
  EXPECT_THAT(codes(shouted.warnings), Contains("category_spelling"));
}

// kdiag 7: the numbers stand in the message.
TEST(CheckReply, ACategoryAgainstTheEvidenceIsRefused) {
  const JudgeVerdict wrong = verdict(reply(entry("compute-bound", "It computes.")));
  ASSERT_THAT(codes(wrong.errors), ElementsAre("against_evidence"));
  EXPECT_THAT(wrong.errors[0].message, HasSubstr("Compute SOL 14.86%"));
  EXPECT_EQ(wrong.errors[0].actual, "latency-bound");  // what the counters support most
}

// kdiag 7
TEST(CheckReply, NamesOfCountersExist) {
  const JudgeVerdict invented = verdict(
      reply(entry("memory-bound", "It waits.",
                  R"("dram__throughput.avg.pct_of_peak_sustained_elapse", "launch__registers_per_thread", "made_up__by_a_plugin.sum")")));
  ASSERT_THAT(codes(invented.errors), ElementsAre("metric_unknown"));
  EXPECT_EQ(invented.errors[0].actual, "dram__throughput.avg.pct_of_peak_sustained_elapsed");
  const JudgeVerdict absent =
      verdict(reply(entry("memory-bound", "It waits.", R"("launch__grid_size", "launch__registers_per_thread", "L1 Cache Hit Rate")")));
  EXPECT_THAT(codes(absent.errors), ElementsAre("metric_not_measured"));
  // Another spelling of what was measured: kdiag 2.1.3.
  EXPECT_TRUE(
      verdict(reply(entry(
                  "memory-bound", "It waits.",
                  R"("dram__bytes_op_read.sum", "fbpa__dram_write_bytes.sum", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")")))
          .is_valid());
}

// kdiag 7
TEST(CheckReply, ShapesOfLaunchesArePossible) {
  EXPECT_THAT(codes(verdict(reply(entry("memory-bound", "It waits.", {}, "Use 2048 threads per block."))).errors),
              ElementsAre("impossible_launch"));
  const JudgeVerdict odd = verdict(reply(entry("memory-bound", "It waits.", {}, "Use 100 threads per block.")));
  EXPECT_TRUE(odd.is_valid());
  EXPECT_THAT(codes(odd.warnings), Contains("unlikely_launch"));
}

// kdiag 7
TEST(CheckReply, MembersAndLengths) {
  EXPECT_THAT(codes(verdict(R"({"bottleneck_1": {"category": "memory-bound"}, "bottleneck_2": 5})").errors),
              ElementsAre("too_short", "missing", "wrong_type"));
  EXPECT_THAT(codes(verdict(R"({"bottleneck_1": )" + entry("memory-bound", "It waits.") + "}").errors), ElementsAre("missing"));
  CheckRequest partial;
  partial.allow_partial = true;
  EXPECT_TRUE(verdict(R"({"bottleneck_1": )" + entry("memory-bound", "It waits.") + "}", partial).is_valid());
  std::string long_text;
  for (int i = 0; i < 60; ++i) long_text += "word ";
  EXPECT_THAT(codes(verdict(reply(entry("memory-bound", long_text))).warnings), Contains("too_long"));
  EXPECT_THAT(codes(verdict(reply(entry("memory-bound", "It waits.", R"("launch__registers_per_thread")"))).warnings),
              ElementsAre("count"));
}

// kdiag 7, kdiag 9
TEST(CheckReply, WarnsOfWhatWasTried) {
  CheckRequest request;
  request.failed_fixes = {"load each element ONCE"};
  EXPECT_THAT(codes(verdict(reply(entry("memory-bound", "It waits.")), request).warnings), ElementsAre("fix_tried_before"));
}

// kdiag 7: within 2 %, or what the rounding of the number allows.
TEST(Claims, FitWithinRoundingAndUnit) {
  EXPECT_THAT(fits("DRAM throughput is only 71.25% of peak"), ElementsAre("DRAM throughput 71.25% fits"));
  EXPECT_THAT(fits("DRAM throughput at 71 %"), ElementsAre("DRAM throughput 71 % fits"));
  EXPECT_THAT(fits("DRAM throughput at 74 %"), ElementsAre("DRAM throughput 74 % wrong_value"));
  EXPECT_THAT(fits("about 75 % DRAM throughput"), ElementsAre("DRAM throughput 75 % fits"));
  EXPECT_THAT(fits("DRAM throughput is 1.45 TB/s"), ElementsAre("DRAM throughput 1.45 TB/s fits"));
  EXPECT_THAT(fits("DRAM throughput is 1452 MB/s"), ElementsAre("DRAM throughput 1452 MB/s wrong_value"));
  EXPECT_THAT(fits("Memory coalescing is 24.4 GB/s"), ElementsAre("Memory coalescing 24.4 GB/s wrong_unit"));
  EXPECT_THAT(fits("shared memory usage is 16 KB"), ElementsAre("shared memory usage 16 KB fits"));
  EXPECT_THAT(fits("329M instructions executed"), ElementsAre("instructions executed 329M fits"));
  EXPECT_THAT(fits("329,264,448 instructions executed"), ElementsAre("instructions executed 329,264,448 fits"));
  EXPECT_THAT(fits("sm__inst_executed.sum = 3.29e8"), ElementsAre("sm__inst_executed.sum 3.29e8 fits"));
  EXPECT_THAT(fits("only 12.5% L1 hit rate"), ElementsAre("L1 hit rate 12.5% fits"));
  EXPECT_THAT(fits("the unused part of the DRAM throughput is 28.75%"), ElementsAre("DRAM throughput 28.75% fits"));
}

// What real replies write between a counter and its value.
TEST(Claims, FollowProse) {
  EXPECT_THAT(fits("memory-bound at 71.3% memory SOL vs 14.9% compute SOL"),
              ElementsAre("memory SOL 71.3% fits", "compute SOL 14.9% fits"));
  EXPECT_THAT(fits("71.3% memory SOL vs 54.9% compute SOL"), ElementsAre("memory SOL 71.3% fits", "compute SOL 54.9% wrong_value"));
  EXPECT_THAT(fits("the dominant reason is long scoreboard waits (64.57%)"), ElementsAre("long scoreboard 64.57% wrong_value"));
  EXPECT_THAT(fits("61.44% of warp stalls are due to long scoreboard"), ElementsAre("long scoreboard 61.44% fits"));
  EXPECT_THAT(fits("L1 throughput is nearly saturated at 97.99%"), ElementsAre("L1 throughput 97.99% wrong_value"));
  EXPECT_THAT(fits("limits occupancy to only 4 blocks per SM"), ElementsAre("blocks per SM 4 fits"));
  EXPECT_THAT(fits("the sm__throughput metric confirms 14.86% of peak"), IsEmpty());
  EXPECT_THAT(fits("sm__throughput is 34.86% of peak"), ElementsAre("sm__throughput 34.86% wrong_value"));
  EXPECT_THAT(fits("limits occupancy to only 9 blocks per SM"), ElementsAre("blocks per SM 9 wrong_value"));
  EXPECT_THAT(fits("24.4% sector utilization of 128-byte lines"), ElementsAre("sector utilization 24.4% fits"));
  EXPECT_THAT(fits("~76% of memory bandwidth is wasted on unused data"), IsEmpty());
  // Another thought has begun.
  EXPECT_THAT(fits("despite the DRAM throughput, compute is only at 14.86%"), IsEmpty());
  EXPECT_THAT(fits("occupancy is high and the rest is 3%"), IsEmpty());
  EXPECT_THAT(fits("far more than the ~32 registers needed for full occupancy"), IsEmpty());
}

// Thresholds, wishes, ratios and numbers inside of names are no claims.
TEST(Claims, WhatIsNoClaim) {
  EXPECT_THAT(fits("DRAM throughput is below 60 %, the L1 hit rate above 80% is the goal"), IsEmpty());
  EXPECT_THAT(fits("occupancy would be 90% then; the L2 hit rate should reach 70%"), IsEmpty());
  EXPECT_THAT(fits("an H100 with FP16 and L2, 3x faster, on 132 SMs"), IsEmpty());
  EXPECT_THAT(fits("occupancy limits this kernel. 25 % of that is lost"), IsEmpty());
  EXPECT_THAT(fits("wasting 76% of memory bandwidth"), IsEmpty());
  EXPECT_THAT(fits("eligible warps are 0.4"), IsEmpty()) << "it is not in the profile";
}

// kdiag 7
TEST(LaunchProposals, WhatNoGpuCanDo) {
  const knowledge::SmLimits* const hopper = bench().knowledge().gpus.limits({9, 0});
  const knowledge::SmLimits* const ampere = bench().knowledge().gpus.limits({8, 6});
  const auto impossible = [&](std::string_view text, const knowledge::SmLimits* limits) {
    const auto problems = problems_of_proposal(text, limits);
    return std::ranges::any_of(problems, &ProposalProblem::is_impossible);
  };
  EXPECT_TRUE(impossible("use 2,048 threads per block", nullptr));
  EXPECT_TRUE(impossible("launch kernel<<<grid, 2048>>>", nullptr));
  EXPECT_FALSE(impossible("launch kernel<<<grid,256,0,stream>>>", nullptr));  // no thousands
  EXPECT_FALSE(impossible("set blockDim.x=256,1", nullptr));
  EXPECT_TRUE(impossible("dim3(64, 32)", nullptr));
  EXPECT_TRUE(impossible("compile with maxrregcount=300", nullptr));
  EXPECT_TRUE(impossible("allocate 300 KB of shared memory", nullptr));
  EXPECT_FALSE(impossible("allocate 200 KB of shared memory per block", hopper));
  EXPECT_TRUE(impossible("allocate 200 KB of shared memory per block", ampere));
  EXPECT_TRUE(impossible("use a cluster size of 4", ampere));
  EXPECT_FALSE(impossible("use a cluster size of 4", hopper));
  EXPECT_FALSE(impossible("BLOCK_SIZE = 2048 in Triton, block size 4096", nullptr));
  EXPECT_FALSE(impossible("a threadblock tile of 256x128", nullptr));
  EXPECT_FALSE(impossible("use 1024 threads per block", nullptr));
  EXPECT_FALSE(problems_of_proposal("load by TMA", ampere).empty());
  EXPECT_TRUE(problems_of_proposal("load by TMA", hopper).empty());
}

// kdiag 7: no reply of a megabyte takes long, whatever it repeats.
TEST(CheckReply, EndsOnAnyRepetition) {
  std::string numbers, mentions, threads;
  for (int i = 0; i < 10'000; ++i) numbers += "1 ";
  for (int i = 0; i < 800; ++i) mentions += "DRAM throughput 71.25% ";
  EXPECT_THAT(fits(numbers), IsEmpty());
  EXPECT_EQ(fits(mentions).size(), 800u);
  for (int i = 0; i < 20; ++i) EXPECT_THAT(fits(numbers + "million"), IsEmpty());
  EXPECT_THAT(problems_of_proposal(std::string(900'000, '1'), nullptr), IsEmpty());
  std::string commas = "kernel<<<";
  for (int i = 0; i < 400'000; ++i) commas += "1,";
  EXPECT_EQ(problems_of_proposal(commas, nullptr).size(), 1u);  // one thread
  for (int i = 0; i < 40'000; ++i) threads += fmt::format("{} threads per block. ", 2000 + i);
  EXPECT_EQ(problems_of_proposal(threads, nullptr).size(), 32u);
  EXPECT_EQ(problems_of_proposal("use 1" + std::string(400, '0') + " threads per block", nullptr).size(), 1u);
}

// kdiag 9
TEST(JudgeAttempts, CountWhatIsMoreThanTheNoise) {
  JudgeAttempt clear, hidden, single;
  compare_times({10.0, 10.1, 9.9}, {8.0, 8.1, 7.9}, clear);
  EXPECT_EQ(clear.is_improvement, true);
  EXPECT_NEAR(*clear.improvement_pct, 20, 1e-9);
  EXPECT_NEAR(*clear.noise_ms, 2 * 1.4826 * 0.1 * std::sqrt(2.0), 1e-6);
  compare_times({10.0, 12.0, 9.0}, {9.5, 11.5, 8.5}, hidden);
  EXPECT_EQ(hidden.is_improvement, std::nullopt);
  compare_times({10.0}, {5.0}, single);
  EXPECT_EQ(single.is_improvement, std::nullopt);
  EXPECT_EQ(single.noise_ms, std::nullopt);
  clear.recommended_fix = "a";
  hidden.recommended_fix = "b";
  const std::string lines = json_of(clear).dump() + "\n\n" + json_of(hidden).dump() + "\n";
  EXPECT_THAT(failed_fixes(read_attempts("history", lines).value()), ElementsAre("b"));
  const auto huge = read_attempts("history", R"({"round_num": 1e300, "worker_id": 18446744073709551615})");
  ASSERT_TRUE(huge);
  EXPECT_EQ(huge->at(0).round_num, std::nullopt);
  EXPECT_EQ(huge->at(0).worker_id, std::nullopt);
  const auto broken = read_attempts("history", lines + "oops\n");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().where, "history:4");
}

}  // namespace
}  // namespace frx::report
