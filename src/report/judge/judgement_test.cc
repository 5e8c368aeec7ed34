#include "report/judge/judgement.h"

#include <gmock/gmock.h>

#include "report/judge/testing.h"

namespace frx::report {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using testing::bench;

JudgeSubject subject_of(std::string_view counters) {
  return bench().subject(fmt::format(R"({{"metrics": {{"k": {{{}}}}}}})", counters)).value();
}

std::string light_of(double compute, double memory) {
  return std::string(
      speed_of_light(
          subject_of(fmt::format(
              R"("sm__throughput.avg.pct_of_peak_sustained_elapsed": {}, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": {})",
              compute, memory)))
          .bound);
}

// kdiag 4
TEST(SpeedOfLight, ClassesAtTheirThresholds) {
  EXPECT_EQ(light_of(30, 59.9), "underutilized");
  EXPECT_EQ(light_of(30, 60), "memory");
  EXPECT_EQ(light_of(60, 30), "compute");
  EXPECT_EQ(light_of(80, 84.9), "balanced");
  EXPECT_EQ(light_of(80, 85), "memory");
}

// kdiag 4: what is missing is no zero.
TEST(SpeedOfLight, WithOneSideMissing) {
  const SpeedOfLight one = speed_of_light(subject_of(R"("sm__throughput.avg.pct_of_peak_sustained_elapsed": 90)"));
  EXPECT_EQ(one.bound, "insufficient_metrics");
  EXPECT_EQ(one.efficiency_pct, std::nullopt);
  EXPECT_THAT(one.warnings, ElementsAre(HasSubstr("memory")));
  const SpeedOfLight none = speed_of_light(subject_of(R"("launch__registers_per_thread": 40)"));
  EXPECT_EQ(none.bound, "unknown");
  EXPECT_EQ(none.headroom_pct(), std::nullopt);
}

// kdiag 4: any spelling of tensor activity counts, and which part of the memory pipeline is the busiest is said.
TEST(SpeedOfLight, TensorCoresAndTheBusiestLevel) {
  const SpeedOfLight light = speed_of_light(subject_of(
      R"("sm__throughput.avg.pct_of_peak_sustained_elapsed": 20, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": 96,
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": 30, "l1tex__throughput.avg.pct_of_peak_sustained_active": 96,
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed": 40)"));
  EXPECT_EQ(light.uses_tensor_cores, true);
  EXPECT_EQ(light.limiter, "l1");
  EXPECT_TRUE(light.at_roofline);
  EXPECT_EQ(speed_of_light(subject_of(R"("sm__throughput.avg.pct_of_peak_sustained_elapsed": 20)")).uses_tensor_cores, std::nullopt);
}

// kdiag 2, kdiag 2.1.1
TEST(JudgeSubject, HasTheSectionsInOrderAndLosesNothing) {
  const JudgeSubject subject = bench().subject(testing::wasteful_kernel).value();
  std::vector<std::string_view> sections;
  std::size_t in_sections = 0;
  for (const JudgedFact& fact : subject.facts) {
    if (sections.empty() || sections.back() != fact.section) sections.push_back(fact.section);
    in_sections += fact.section.empty() ? 0 : 1;
  }
  EXPECT_THAT(sections, ElementsAre("SM & Compute Utilization", "Memory Bandwidth & Cache", "Memory Access Patterns",
                                    "Occupancy & Resources", "Stall Metrics (Warp Issue Stalls)", ""));
  EXPECT_EQ(in_sections, 25u);
  const JudgedFact* const unknown = subject.fact("made_up__by_a_plugin.sum", bench().knowledge().metrics);
  ASSERT_NE(unknown, nullptr);
  EXPECT_EQ(fact_text(*unknown), "17.50");
  std::vector<std::string> others;
  for (const JudgedFact& fact : subject.facts) {
    if (fact.section.empty()) others.push_back(fact.key);
  }
  EXPECT_TRUE(std::ranges::is_sorted(others));
}

// Bytes add up over launches, shares do not: what is shown is of one launch.
TEST(JudgeSubject, IsAboutOneLaunch) {
  constexpr std::string_view csv =
      "\"ID\",\"Kernel Name\",\"dram__bytes_read.sum\",\"lts__t_sector_hit_rate.pct\"\n\"\",\"\",\"Mbyte\",\"%\"\n"
      "\"0\",\"k\",\"10\",\"40\"\n\"1\",\"k\",\"30\",\"60\"\n";
  const JudgeSubject subject = bench().subject(csv).value();
  EXPECT_EQ(subject.fact_with_id("dram_bytes_read")->value, 20e6);
  EXPECT_EQ(subject.fact_with_id("l2_cache_hit_rate_pct")->value, 50);
}

// kdiag 4: a kernel that moves everything twice is half as good as its roof says.
TEST(SpeedOfLight, UsefulWork) {
  JudgeSubject subject =
      subject_of(R"("dram__bytes_read.sum": 3000, "dram__bytes_write.sum": 1000, "sm__throughput.avg.pct_of_peak_sustained_elapsed": 20)");
  EXPECT_EQ(speed_of_light(subject).useful_bytes_pct, std::nullopt);
  subject.least_bytes = 2000;
  EXPECT_EQ(speed_of_light(subject).useful_bytes_pct, 50);
  subject.least_bytes = 8000;
  EXPECT_THAT(speed_of_light(subject).warnings, Contains(HasSubstr("fewer bytes of DRAM were counted")));
  subject.least_operations = 10;
  EXPECT_EQ(speed_of_light(subject).useful_operations_pct, std::nullopt);
  EXPECT_THAT(speed_of_light(subject).warnings, Contains(HasSubstr("operations were not counted")));
}

// kdiag 2.1.4: the limits are blocks per SM, and the smallest limits.
TEST(JudgeSubject, LimitsAreBlocks) {
  const JudgeSubject subject = bench().subject(testing::wasteful_kernel).value();
  EXPECT_EQ(fact_text(*subject.fact_with_id("occupancy_limit_registers")), "4");
  EXPECT_EQ(subject.kernel->occupancy.limit_registers, 4);
  EXPECT_EQ(subject.kernel->occupancy.limit_shared_memory, 8);
}

// kdiag 2.1.5: what a judge is told is what the preset of everything collects, and all reasons of stalls are among it.
TEST(JudgeSubject, IsCollectedByThePresetOfEverything) {
  const auto& presets = bench().knowledge().presets;
  const auto full = std::ranges::find(presets, "full", &knowledge::Preset::name);
  ASSERT_NE(full, presets.end());
  std::vector<std::string_view> collected;
  for (const model::Metric metric : full->metrics) collected.push_back(bench().knowledge().metrics[metric].id);
  for (const std::string_view id : {"kernel_duration", "achieved_occupancy_pct", "eligible_warps_per_scheduler", "dram_throughput_pct"})
    EXPECT_THAT(collected, Contains(id));
}

// kdiag 2.1.2
TEST(JudgeSubject, WhatIsMissingHasNoUnit) {
  const JudgeSubject subject = subject_of(R"("launch__registers_per_thread": 40)");
  const JudgedFact* const dram = subject.fact_with_id("dram_throughput_pct");
  ASSERT_NE(dram, nullptr);
  EXPECT_EQ(fact_text(*dram), "N/A");
}

// kdiag 2.2, kdiag 2.3, kdiag 10: not the first and not the last, but what takes most of the time.
TEST(JudgeSubject, ChoosesAKernel) {
  constexpr std::string_view csv =
      "\"ID\",\"Kernel "
      "Name\",\"gpu__time_duration.sum\",\"sm__cycles_active.avg\",\"sm__throughput.avg.pct_of_peak_sustained_elapsed\"\n\"\",\"\",\"us\","
      "\"cycle\",\"%\"\n"
      "\"0\",\"first(int)\",\"10\",\"900\",\"10\"\n\"1\",\"longest<a, "
      "b>(int)\",\"90\",\"800\",\"20\"\n\"2\",\"last(int)\",\"20\",\"700\",\"30\"\n";
  const auto chosen = [&](KernelChoice choice) {
    const auto subject = bench().subject(csv, choice);
    return subject ? subject->kernel->short_name + " by " + subject->selected_by : subject.error().message;
  };
  using Pick = KernelChoice::Pick;
  EXPECT_EQ(chosen({}), "longest by max_time");
  EXPECT_EQ(chosen({"", Pick::last}), "last by last");
  EXPECT_EQ(chosen({"", Pick::first}), "first by first");
  EXPECT_EQ(chosen({"", Pick::max_cycles}), "first by max_cycles");
  EXPECT_EQ(chosen({"last", {}}), "last by name");
  EXPECT_EQ(chosen({"^lon", {}}), "longest by name");
  EXPECT_THAT(chosen({"(int)", {}}), HasSubstr("3 kernels of the profile are called '(int)'"));
  EXPECT_THAT(chosen({"none", {}}), HasSubstr("no kernel of the profile is called 'none'"));
  EXPECT_THAT(chosen({"[", {}}), HasSubstr("expected a kernel or a regular expression"));
}

// kdiag 8
TEST(JudgeByRules, NamesTwoOfDifferentCategories) {
  const JudgeSubject subject = bench().subject(testing::wasteful_kernel).value();
  const Judgement judgement = bench().rules(subject);
  ASSERT_EQ(judgement.bottlenecks.size(), 2u);
  EXPECT_EQ(judgement.bottlenecks[0].category, "memory-bound");
  EXPECT_EQ(judgement.bottlenecks[1].category, "latency-bound");
  for (const JudgedBottleneck& one : judgement.bottlenecks) {
    EXPECT_GE(one.priority_metrics.size(), 3u);
    EXPECT_THAT(one.root_cause, HasSubstr("%"));
    EXPECT_FALSE(one.expected_improvement.empty());
    EXPECT_EQ(one.origin, "rules");
  }
}

// kdiag 8: a grid of an eighth of the thread slots leaves every unit idle, which is no second bottleneck. Stalls that were measured are
// one.
TEST(JudgeByRules, WhatASmallGridExplainsIsNoSecondBottleneck) {
  const auto categories = [](std::string_view more) {
    const Judgement judgement = bench().rules(subject_of(fmt::format(
        R"("launch__block_size": 128, "sm__throughput.avg.pct_of_peak_sustained_elapsed": 5,
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": 40, "dram__throughput.avg.pct_of_peak_sustained_elapsed": 40,
        "sm__warps_active.avg.pct_of_peak_sustained_active": 9, {})",
        more)));
    std::vector<std::string> named;
    for (const JudgedBottleneck& one : judgement.bottlenecks) named.push_back(one.category);
    return named;
  };
  EXPECT_THAT(categories(R"("launch__grid_size": 264)"), ElementsAre("occupancy-limited", "memory-bound"));
  EXPECT_THAT(categories(R"("launch__grid_size": 26400)"), ElementsAre("occupancy-limited", "latency-bound"));
  EXPECT_THAT(categories(R"("launch__grid_size": 264, "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct": 70)"),
              ElementsAre("latency-bound", "occupancy-limited"));
}

// kdiag 8: reuse through the caches keeps the load/store pipe busy, which is a part of what the SM does; a tile in registers does not, and
// what was measured of L1 or of the stalls decides where it was.
TEST(JudgeByRules, ReuseThroughL1IsASecondBottleneckOfABusySm) {
  const auto categories = [](int sm, std::int64_t sectors, std::string_view more = "") {
    const Judgement judgement = bench().rules(subject_of(fmt::format(
        R"("launch__block_size": 256, "launch__grid_size": 65536, "gpu__time_duration.sum": 9000000,
        "sm__throughput.avg.pct_of_peak_sustained_elapsed": {}, "sm__warps_active.avg.pct_of_peak_sustained_active": 90,
        "dram__bytes_read.sum": 64000000, "dram__bytes_write.sum": 16000000,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": {}, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 500000{})",
        sm, sectors, more)));
    std::vector<std::string> named;
    for (const JudgedBottleneck& one : judgement.bottlenecks) named.push_back(one.category);
    return named;
  };
  EXPECT_THAT(categories(92, 1'000'000'000), ElementsAre("compute-bound", "memory-bound"));  // a product without tiles
  EXPECT_THAT(categories(92, 4'000'000), ElementsAre("compute-bound"));                      // a polynomial of each element
  EXPECT_THAT(categories(92, 1'000'000'000, R"(, "l1tex__throughput.avg.pct_of_peak_sustained_active": 20)"), ElementsAre("compute-bound"));
  EXPECT_THAT(categories(92, 1'000'000'000, R"(, "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct": 4)"),
              ElementsAre("compute-bound"));
}

// kdiag 8: one counter is no evidence for two.
TEST(JudgeByRules, SaysWhenTheCountersSpeakForOneAlone) {
  const Judgement judgement = bench().rules(subject_of(R"("sm__throughput.avg.pct_of_peak_sustained_elapsed": 97)"));
  EXPECT_LT(judgement.bottlenecks.size(), 2u);
  EXPECT_THAT(judgement.notes, Contains(HasSubstr("the counters of the profile support")));
  EXPECT_THAT(bench().rules(subject_of(R"("launch__registers_per_thread": 40)")).bottlenecks, IsEmpty());
}

// kdiag 8, kdiag 11: whatever the counters are, no two categories are equal, and our own answer holds.
TEST(JudgeByRules, ItsAnswersHold) {
  for (int i = 0; i < 200; ++i) {
    const auto percent = [&](int step) { return (i * step + step) % 101; };
    const JudgeSubject subject = subject_of(fmt::format(
        R"("sm__throughput.avg.pct_of_peak_sustained_elapsed": {}, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": {}, "dram__throughput.avg.pct_of_peak_sustained_elapsed": {},
        "sm__warps_active.avg.pct_of_peak_sustained_active": {}, "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct": {}, "launch__registers_per_thread": {})",
        percent(7), percent(13), percent(13), percent(29), percent(41), 16 + i));
    const Judgement judgement = bench().rules(subject);
    if (judgement.bottlenecks.size() < 2) continue;
    EXPECT_NE(judgement.bottlenecks[0].category, judgement.bottlenecks[1].category);
    for (const JudgedBottleneck& one : judgement.bottlenecks) {
      const auto support = support_of(*bench().judge().category(one.category), subject);
      EXPECT_GT(support.value_or(1), 0.05) << one.category;
    }
  }
}

}  // namespace
}  // namespace frx::report
