// The mistakes found in the reference on Nsight Compute exports, one test each, with our right answer.
// The names A1 to A20 are those of the review that found them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/test_io.h"
#include "compose/payloads.h"
#include "report/analyse.h"

namespace frx {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* dram = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* sm = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* l1_hit = "l1tex__t_sector_hit_rate.pct";
constexpr const char* l2_hit = "lts__t_sector_hit_rate.pct";
constexpr const char* tensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
constexpr const char* occupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr const char* issue = "sm__issue_active.avg.pct_of_peak_sustained_active";
constexpr const char* sectors = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio";
constexpr const char* duration = "gpu__time_duration.sum";

std::string stall(const std::string& reason) { return "smsp__warp_issue_stalled_" + reason + "_per_warp_active.pct"; }

struct Row {
  std::string metric, unit, value;
};

// A tall table of launches, in the shape `ncu --csv --metrics` writes.
class Tall {
 public:
  Tall& launch(const std::string& kernel, const std::vector<Row>& rows, const std::string& grid = "(4096, 1, 1)",
               const std::string& cc = "8.0") {
    for (const Row& row : rows) {
      text_ +=
          fmt::format("\"{}\",\"7\",\"{}\",\"(256, 1, 1)\",\"{}\",\"0\",\"{}\",\"Command line profiler metrics\",\"{}\",\"{}\",\"{}\"\n",
                      id_, kernel, grid, cc, row.metric, row.unit, row.value);
    }
    ++id_;
    return *this;
  }
  std::string text() const {
    return "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\","
           "\"Metric Unit\",\"Metric Value\"\n" +
           text_;
  }

 private:
  int id_ = 0;
  std::string text_;
};

class Diagnosed {
 public:
  explicit Diagnosed(std::string csv, const std::string& gpu = "") : csv_(std::move(csv)) {
    analyst_ = std::move(*report::Analyst::create({{}, gpu, {}}));
    const auto source = open_bytes(csv_);
    auto result = analyst_->analyse("report.csv", *source);
    if (result) {
      report_ = *result;
      json_ = json::parse(answer::json_text_of([&](answer::JsonObject& out) { compose::put_profile(out, *report_); }));
    } else {
      error_ = to_string(result.error());
    }
  }
  bool read() const { return report_ != nullptr; }
  const std::string& error() const { return error_; }
  const report::NcuReport& report() const { return *report_; }
  const json& as_json() const { return json_; }
  bool found(std::string_view label) const { return score(label) >= 0; }
  double score(std::string_view label) const {
    for (const model::Finding& finding : report_->findings) {
      if (finding.id() == label) return finding.score;
    }
    return -1;
  }
  double value(std::string_view id) const { return report_->value(id)->value(); }

 private:
  std::string csv_, error_;
  std::unique_ptr<report::Analyst> analyst_;
  const report::NcuReport* report_ = nullptr;
  json json_;
};

TEST(ReferenceMistakes, A1_EachRowsUnitIsRead) {
  const Diagnosed d(Tall()
                        .launch("a", {{duration, "usecond", "900"}, {dram, "%", "90"}})
                        .launch("b", {{duration, "msecond", "1.20"}, {dram, "%", "10"}})
                        .text());
  EXPECT_NEAR(*d.report().duration_us, 2100, 1e-6);
  EXPECT_EQ(d.report().kernels[0].name, "b");
  EXPECT_NEAR(*d.report().kernels[0].runtime_share_pct, 57.14, 0.01);
}

TEST(ReferenceMistakes, A1_KilobytesOfSharedMemoryAreNotBytes) {
  const Diagnosed d(Tall().launch("k", {{"launch__shared_mem_per_block_dynamic", "Kbyte/block", "48.00"}, {dram, "%", "10"}}).text());
  EXPECT_DOUBLE_EQ(d.value("shared_memory_dynamic"), 48000);
}

TEST(ReferenceMistakes, A1_APercentageInAnotherUnitIsRefused) {
  const Diagnosed d(Tall().launch("k", {{dram, "byte/second", "90"}, {sm, "%", "10"}}).text());
  EXPECT_EQ(d.report().value("dram_throughput_pct"), nullptr);
  EXPECT_THAT(join(d.report().notes, "\n"), HasSubstr("not used"));
}

TEST(ReferenceMistakes, A2_PresetsAskForRealStallCounters) {
  cli::TestIo io;
  ASSERT_EQ(io.run({"ncu-command", "full"}), 0);
  EXPECT_THAT(io.out(), AllOf(HasSubstr("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"),
                              Not(HasSubstr("pcsamplingdata")), Not(HasSubstr("sum_per_request"))));
}

TEST(ReferenceMistakes, A3_APerfectStreamIsHealthy) {
  const Diagnosed d(Tall()
                        .launch("vector_add4(float4 const *, float4 *)", {{dram, "%", "92"},
                                                                          {tensor, "%", "0"},
                                                                          {l1_hit, "%", "0"},
                                                                          {l2_hit, "%", "33"},
                                                                          {occupancy, "%", "88"},
                                                                          {issue, "%", "14"},
                                                                          {stall("long_scoreboard"), "%", "78"},
                                                                          {sectors, "sector/request", "16"}})
                        .text());
  EXPECT_THAT(d.report().primary, ::testing::AnyOf("memory_bandwidth_bound", "at_hardware_limit"));
  for (const char* label :
       {"l1_cache_thrashing", "l2_cache_thrashing", "uncoalesced_access", "tensor_core_underutilized", "low_issue_efficiency"}) {
    EXPECT_FALSE(d.found(label)) << label;
  }
  EXPECT_LT(d.score("warp_stall_memory"), d.score("memory_bandwidth_bound"));
}

TEST(ReferenceMistakes, A4_SaturatedDramNeedsNoStallData) {
  const Diagnosed d(Tall().launch("k", {{dram, "%", "95"}, {l1_hit, "%", "50"}, {l2_hit, "%", "60"}}, "(4096, 1, 1)", "12.0").text());
  EXPECT_EQ(d.report().primary, "memory_bandwidth_bound");
}

TEST(ReferenceMistakes, A5_TheLongKernelDecidesNotTheManyShortOnes) {
  Tall table;
  table.launch("long_one", {{duration, "us", "9900"}, {dram, "%", "95"}, {stall("long_scoreboard"), "%", "80"}});
  for (int i = 0; i < 9; ++i) {
    table.launch(fmt::format("short_{}", i), {{duration, "us", "2"}, {dram, "%", "1"}, {stall("long_scoreboard"), "%", "10"}});
  }
  const Diagnosed d(table.text());
  EXPECT_EQ(d.report().primary, "memory_bandwidth_bound");
  EXPECT_NEAR(d.value("dram_throughput_pct"), 94.8, 0.1);
}

TEST(ReferenceMistakes, A6_DramAloneGivesNoRooflineRegion) {
  const Diagnosed d(Tall().launch("k", {{dram, "%", "2"}}).text());
  EXPECT_NE(d.report().roofline.region, "memory_bound");
  EXPECT_EQ(d.report().roofline.main(), nullptr);
}

TEST(ReferenceMistakes, A6_MfuComesFromOperationsAndThePeakOfTheGpu) {
  const std::vector<Row> rows = {{duration, "ms", "1"},
                                 {"dram__bytes.sum", "Mbyte", "100"},
                                 {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst", "5,000,000,000"},
                                 {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst", "0"},
                                 {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst", "0"}};
  const Diagnosed a100(Tall().launch("k", rows).text(), "NVIDIA A100-SXM4-80GB");
  ASSERT_NE(a100.report().roofline.main(), nullptr);
  EXPECT_DOUBLE_EQ(a100.report().roofline.main()->intensity, 100);     // 1e10 operations on 1e8 bytes
  EXPECT_NEAR(*a100.report().roofline.mfu_pct, 100 * 10 / 19.5, 0.5);  // 10 of 19.5 TFLOP/s
  const Diagnosed unknown(Tall().launch("k", rows).text());
  EXPECT_FALSE(unknown.report().roofline.mfu_pct) << "several products have CC 8.0: no peak without a GPU";
}

TEST(ReferenceMistakes, A7_RepeatedLaunchesAddTheirTimeAndNothingElse) {
  Tall table;
  for (int i = 0; i < 20; ++i) {
    table.launch("k", {{duration, "us", "100"},
                       {dram, "%", i == 19 ? "5" : "90"},
                       {"launch__shared_mem_per_block_static", "byte/block", "16384"},
                       {"launch__shared_mem_per_block_dynamic", "byte/block", "0"},
                       {"launch__registers_per_thread", "register/thread", "64"}});
  }
  const Diagnosed d(table.text());
  ASSERT_EQ(d.report().kernels.size(), 1u);
  EXPECT_EQ(d.report().kernels[0].launches, 20u);
  EXPECT_NEAR(*d.report().duration_us, 2000, 1e-6);
  EXPECT_DOUBLE_EQ(d.value("shared_memory_per_block_bytes"), 16384);
  EXPECT_NEAR(d.value("dram_throughput_pct"), 85.75, 0.01);
  EXPECT_FALSE(d.found("occupancy_limited_by_shared_memory"));
}

TEST(ReferenceMistakes, A7_LaunchesOfDifferentShapeAreKeptApart) {
  const Diagnosed d(Tall()
                        .launch("k", {{duration, "us", "10"}, {dram, "%", "5"}, {sm, "%", "3"}}, "(2, 1, 1)")
                        .launch("k", {{duration, "us", "1000"}, {dram, "%", "90"}, {sm, "%", "20"}}, "(8192, 1, 1)")
                        .text(),
                    "a100");
  ASSERT_EQ(d.report().kernels[0].shapes.size(), 2u);
  EXPECT_EQ(d.report().kernels[0].shapes[0].grid, "(8192, 1, 1)");
  EXPECT_EQ(d.report().kernels[0].shapes[0].primary, "memory_bandwidth_bound");
  EXPECT_EQ(d.report().kernels[0].shapes[1].primary, "grid_too_small");
  EXPECT_EQ(d.report().primary, "memory_bandwidth_bound");
}

TEST(ReferenceMistakes, A8_AWideExportIsReadWithAndWithoutItsUnitsRow) {
  const std::string header = "\"ID\",\"Kernel Name\",\"" + std::string(dram) + "\",\"" + duration + "\"\n";
  const std::string rows = "\"0\",\"a\",\"90.5\",\"10\"\n\"1\",\"b\",\"20.5\",\"30\"\n";
  const Diagnosed with_units(header + "\"\",\"\",\"%\",\"us\"\n" + rows + "done\n");
  EXPECT_EQ(with_units.report().kernels.size(), 2u);
  EXPECT_NEAR(*with_units.report().duration_us, 40, 1e-9);
  const Diagnosed without(header + rows);
  EXPECT_EQ(without.report().kernels.size(), 2u) << "the first row is data, not units";
  EXPECT_FALSE(without.report().duration_us) << "a duration without a unit is not a duration";
  EXPECT_TRUE(without.report().validation.valid);
}

TEST(ReferenceMistakes, A9_HopperHolds200KilobytesOfSharedMemory) {
  const Diagnosed d(Tall()
                        .launch("k",
                                {{"launch__registers_per_thread", "register/thread", "168"},
                                 {"launch__shared_mem_per_block_dynamic", "byte/block", "200,000"},
                                 {"launch__shared_mem_per_block_static", "byte/block", "0"},
                                 {sm, "%", "80"}},
                                "(264, 1, 1)", "9.0")
                        .text());
  EXPECT_NEAR(d.value("theoretical_occupancy_pct"), 12.5, 0.01);  // one block of 8 warps of 64
}

TEST(ReferenceMistakes, A9_RegistersAreAllocatedInUnits) {
  const Diagnosed d(Tall()
                        .launch("k", {{"launch__registers_per_thread", "register/thread", "33"},
                                      {"launch__shared_mem_per_block_dynamic", "byte/block", "0"},
                                      {"launch__shared_mem_per_block_static", "byte/block", "0"},
                                      {sm, "%", "80"}})
                        .text());
  EXPECT_NEAR(d.value("theoretical_occupancy_pct"), 75, 0.01);
}

TEST(ReferenceMistakes, A9_AnUnknownBlockSizeLimitsNothing) {
  const Diagnosed d("\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"k\",\"Achieved Occupancy\",\"%\",\"18\"\n");
  EXPECT_TRUE(d.found("occupancy_limited"));
  EXPECT_FALSE(d.found("occupancy_limited_by_block_size"));
}

TEST(ReferenceMistakes, A10_ADecimalCommaIsNotAThousandsSign) {
  const Diagnosed d(Tall().launch("k", {{dram, "%", "9,00"}, {sm, "%", "73,25"}, {duration, "us", "1.234,50"}}).text());
  EXPECT_DOUBLE_EQ(d.value("dram_throughput_pct"), 9);
  EXPECT_NEAR(*d.report().duration_us, 1234.5, 1e-9);
}

TEST(ReferenceMistakes, A10_TwoConventionsInOneFileAreRefused) {
  const Diagnosed d(Tall().launch("k", {{dram, "%", "90.25"}, {sm, "%", "73,25"}}).text());
  ASSERT_FALSE(d.read());
  EXPECT_THAT(d.error(), AllOf(HasSubstr("report.csv:"), HasSubstr("two conventions")));
}

TEST(ReferenceMistakes, A10_NoiseBeforeAndBetweenRowsIsSkipped) {
  std::string csv = Tall().launch("k", {{dram, "%", "91.5"}, {sm, "%", "20.5"}}).text();
  csv.insert(csv.find("\"0\""), "\"loss\": 0.5\n==PROF== Profiling \"k\" - 0: 0%....100%\nepoch 1\n");
  const Diagnosed d("\xEF\xBB\xBF\"loss\": 0.7\n" + csv + "done\n");
  ASSERT_TRUE(d.read()) << d.error();
  EXPECT_EQ(d.report().primary, "memory_bandwidth_bound");
}

TEST(ReferenceMistakes, A10_NanIsNeverANumber) {
  const Diagnosed d(Tall().launch("k", {{dram, "%", "nan"}, {sm, "%", "inf"}, {occupancy, "%", "n/a"}}).text());
  EXPECT_EQ(d.report().primary, "insufficient_ncu_data");
  EXPECT_TRUE(d.as_json()["ncu_run_summary"]["avg_dram_throughput_pct"].is_null());
}

TEST(ReferenceMistakes, A11_ThrottlesAreMemoryStallsAndIssuingIsNone) {
  const Diagnosed d(Tall()
                        .launch("k", {{stall("lg_throttle"), "%", "55"},
                                      {stall("mio_throttle"), "%", "20"},
                                      {stall("selected"), "%", "15"},
                                      {stall("long_scoreboard"), "%", "5"},
                                      {dram, "%", "40"},
                                      {sm, "%", "30"}})
                        .text());
  EXPECT_NEAR(d.as_json()["ncu_run_summary"]["memory_stall_fraction"].get<double>(), 0.80, 1e-9);
  EXPECT_EQ(d.report().dominant_stall, "lg_throttle");
  EXPECT_EQ(d.report().primary, "warp_stall_memory");
}

TEST(ReferenceMistakes, A11_WaitingForAnInstructionIsNotSynchronisation) {
  const Diagnosed d(Tall()
                        .launch("k", {{stall("wait"), "%", "45"},
                                      {stall("barrier"), "%", "5"},
                                      {stall("long_scoreboard"), "%", "5"},
                                      {dram, "%", "20"},
                                      {sm, "%", "30"}})
                        .text());
  EXPECT_FALSE(d.found("warp_stall_sync"));
}

TEST(ReferenceMistakes, A12_NeverAnEligibleWarpIsWorseThanRarelyOne) {
  const auto score = [](const char* eligible) {
    return Diagnosed(Tall()
                         .launch("k", {{"smsp__warps_eligible.avg.per_cycle_active", "warp", eligible}, {sm, "%", "5"}, {dram, "%", "5"}})
                         .text())
        .score("low_warp_scheduler_utilization");
  };
  EXPECT_GT(score("0.0"), score("0.1"));
  EXPECT_GT(score("0.1"), score("0.5"));
}

TEST(ReferenceMistakes, A13_TheNamesThatDriversPrintAreKnown) {
  const std::string csv = Tall().launch("k", {{dram, "%", "50.5"}}, "(1, 1, 1)", "").text();
  for (const char* name : {"NVIDIA H100 80GB HBM3", "NVIDIA H100", "Tesla T4", "NVIDIA GeForce RTX 4090", "sm_90a"}) {
    const Diagnosed d(csv, name);
    ASSERT_TRUE(d.read()) << name << ": " << d.error();
    EXPECT_FALSE(d.report().compute_capability.empty()) << name;
  }
  EXPECT_FALSE(Diagnosed(csv, "Voodoo 3").read()) << "never a silent default";
}

TEST(ReferenceMistakes, A14_TwoMeaningsOfMemoryThroughputStayTwo) {
  const Diagnosed d(
      "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"k\",\"GPU Speed Of Light Throughput\",\"Memory Throughput\",\"%\",\"41.5\"\n"
      "\"0\",\"k\",\"GPU Speed Of Light Throughput\",\"L1/TEX Cache Throughput\",\"%\",\"33.5\"\n"
      "\"0\",\"k\",\"Memory Workload Analysis\",\"Memory Throughput\",\"Gbyte/second\",\"212.5\"\n");
  EXPECT_DOUBLE_EQ(d.value("memory_throughput_pct"), 41.5);
  EXPECT_DOUBLE_EQ(d.value("dram_bytes_per_second"), 212.5e9);
  EXPECT_DOUBLE_EQ(d.value("l1tex_throughput_pct"), 33.5);
  EXPECT_EQ(d.report().value("dram_throughput_pct"), nullptr);
  EXPECT_EQ(d.report().value("l1_cache_hit_rate_pct"), nullptr);
}

TEST(ReferenceMistakes, A15_AnUntimedKernelDoesNotOutrankTimedOnes) {
  const Diagnosed d(Tall()
                        .launch("untimed", {{dram, "%", "10.5"}, {sm, "%", "10.5"}})
                        .launch("timed", {{duration, "us", "50"}, {dram, "%", "30.5"}, {sm, "%", "10.5"}})
                        .text());
  EXPECT_EQ(d.report().kernels[0].name, "timed");
  EXPECT_FALSE(d.report().kernels[1].runtime_share_pct);
  EXPECT_EQ(d.as_json()["kernel_attribution"]["top_opportunities"][0]["kernel_name"], "timed");
}

TEST(ReferenceMistakes, A15_WhatWasNotMeasuredIsNullAndNeverWasZero) {
  const Diagnosed d(Tall().launch("k", {{dram, "%", "95.5"}}).text());
  ASSERT_FALSE(d.as_json()["recommendations"].empty());
  for (const json& card : d.as_json()["recommendations"]) {
    for (const json& step : card["validation_steps"]) {
      if (step["metric"] != dram) EXPECT_TRUE(step["current_value"].is_null()) << step.dump();
    }
  }
  EXPECT_TRUE(d.as_json()["ncu_run_summary"]["avg_occupancy_pct"].is_null());
}

TEST(ReferenceMistakes, A16_PrintedCommandsProfileTheApplicationNotTheCsv) {
  const Diagnosed d(Tall().launch("k", {{dram, "%", "95.5"}, {sm, "%", "12.5"}}).text());
  EXPECT_THAT(d.report().advice.validation_command,
              AllOf(HasSubstr("--csv --log-file report.csv"), HasSubstr("./your_app"), Not(HasSubstr("--csv ./"))));
}

TEST(ReferenceMistakes, A17_ShellCharactersOfArgumentsAreQuoted) {
  cli::TestIo io;
  ASSERT_EQ(io.run({"ncu-command", "occupancy", "--", "./app", "$HOME", "`id`", "a;b", "*"}), 0);
  EXPECT_THAT(io.out(), AllOf(HasSubstr("'$HOME'"), HasSubstr("'`id`'"), HasSubstr("'a;b'"), HasSubstr("'*'")));
}

TEST(ReferenceMistakes, A18_GarbageIsRefusedInOneLine) {
  const Diagnosed d("this is not a profile\nat all\n");
  ASSERT_FALSE(d.read());
  EXPECT_THAT(d.error(), HasSubstr("report.csv: expected an Nsight Compute profile"));
}

TEST(ReferenceMistakes, A19_DetailsPageLabelsAreKnown) {
  const std::vector<std::array<const char*, 4>> labels = {
      {"GPU Speed Of Light Throughput", "DRAM Throughput", "%", "dram_throughput_pct"},
      {"Memory Workload Analysis", "L1/TEX Hit Rate", "%", "l1_cache_hit_rate_pct"},
      {"Memory Workload Analysis", "L2 Hit Rate", "%", "l2_cache_hit_rate_pct"},
      {"Launch Statistics", "Block Size", "", "threads_per_block"},
      {"Launch Statistics", "Dynamic Shared Memory Per Block", "byte/block", "shared_memory_dynamic"},
      {"GPU Speed Of Light", "SOL FB", "%", "dram_throughput_pct"}};
  for (const auto& [section, label, unit, id] : labels) {
    const Diagnosed d(
        fmt::format("\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
                    "\"0\",\"k\",\"{}\",\"{}\",\"{}\",\"32\"\n",
                    section, label, unit));
    ASSERT_TRUE(d.read()) << d.error();
    EXPECT_NE(d.report().value(id), nullptr) << label;
  }
}

TEST(ReferenceMistakes, A20_TheProfilersOwnRulesAreShownApart) {
  const Diagnosed d(
      "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\",\"Rule "
      "Description\",\"Estimated Speedup Type\",\"Estimated Speedup\"\n"
      "\"0\",\"k\",\"GPU Speed Of Light Throughput\",\"DRAM Throughput\",\"%\",\"12.5\",\n"
      "\"0\",\"k\",\"SpeedOfLight\",\"\",\"\",\"\",\"LaunchRule\",\"OPT\",\"This kernel grid is too small to fill the device, resulting in "
      "only "
      "0.3 full waves across all SMs.\",\"global\",\"71.5\"\n");
  ASSERT_EQ(d.report().profiler_rules.size(), 1u);
  EXPECT_DOUBLE_EQ(*d.report().profiler_rules[0].estimated_speedup_pct, 71.5);
  EXPECT_DOUBLE_EQ(d.value("waves_per_sm"), 0.3) << "a measured number the rule quotes";
}

}  // namespace
}  // namespace frx
