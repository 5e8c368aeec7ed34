// The mistakes found in the reference's reconciliation, one test each, with our right answer. E4 to E6 are the names of the
// review that found them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/fake_host.h"
#include "cli/test_io.h"

namespace frx {
namespace {

using nlohmann::json;

constexpr const char* source = R"(__global__ void gather(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * 64];
}
)";
// The same kernel as a compiler would make it.
constexpr const char* ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry gather(.param .u64 gather_param_0, .param .u64 gather_param_1, .param .u32 gather_param_2)
{
  .reg .pred %p<2>;
  .reg .f32 %f<2>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [gather_param_0];
  ld.param.u64 %rd2, [gather_param_1];
  ld.param.u32 %r2, [gather_param_2];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra $done;
  cvta.to.global.u64 %rd3, %rd2;
  mul.wide.s32 %rd4, %r1, 256;
  add.s64 %rd5, %rd3, %rd4;
  ld.global.f32 %f1, [%rd5];
  cvta.to.global.u64 %rd6, %rd1;
  mul.wide.s32 %rd7, %r1, 4;
  add.s64 %rd8, %rd6, %rd7;
  st.global.f32 [%rd8], %f1;
$done:
  ret;
}
)";

std::string profile(double sectors_per_request) {
  constexpr const char* row = R"row("0","gather","(256, 1, 1)","(4096, 1, 1)","{}","{}","{}")row";
  std::string csv = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  csv += fmt::format(fmt::runtime(row), "gpu__time_duration.sum", "us", 100) + "\n";
  csv += fmt::format(fmt::runtime(row), "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", 40) + "\n";
  csv += fmt::format(fmt::runtime(row), "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request",
                     sectors_per_request) +
         "\n";
  csv += fmt::format(fmt::runtime(row), "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "sector/request", 4) + "\n";
  for (const char* counter :
       {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"}) {
    csv += fmt::format(fmt::runtime(row), counter, "%", 400 / sectors_per_request) + "\n";
  }
  return csv;
}

// The JSON of frx analyze over files of these contents.
json together(const std::vector<std::pair<std::string, std::string>>& files) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  std::vector<std::string> arguments = {"analyze", "--json"};
  for (const auto& [name, text] : files) {
    EXPECT_TRUE(write_file(folder.file(name), text));
    arguments.push_back(folder.file(name));
  }
  cli::TestIo io;
  EXPECT_EQ(cli::run(arguments, io.io), 0) << io.err();
  return json::parse(io.out())["result"];
}

json access_in(const json& result) {
  for (const json& diagnosis : result["diagnoses"]) {
    if (diagnosis["label"] == "inefficient_global_memory_access") return diagnosis;
  }
  return nullptr;
}

// PTX is compiled from the source: a fact that both show was seen once.
TEST(ReconcileMistakes, E4_CodeIsOneWitnessAndCountersAreAnother) {
  const json all = access_in(together({{"gather.cu", source}, {"gather.ptx", ptx}, {"report.csv", profile(32)}}));
  EXPECT_EQ(all["confidence"], "high");  // two witnesses, not three
  EXPECT_EQ(all["layers_confirming"], (json{"source", "ptx", "ncu"}));
  const json code_against_counters = access_in(together({{"gather.cu", source}, {"gather.ptx", ptx}, {"report.csv", profile(4)}}));
  EXPECT_EQ(code_against_counters["confidence"], "low-medium");
  EXPECT_EQ(code_against_counters["layers_contradicting"], (json{"ncu"}));
}

// A counter that is not there and one that speaks against it are two things.
TEST(ReconcileMistakes, E4_SilenceIsNoContradiction) {
  const std::string silent =
      "\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"gather\",\"gpu__time_duration.sum\",\"us\",\"100\"\n";
  const json unmeasured = access_in(together({{"gather.cu", source}, {"report.csv", silent}}));
  EXPECT_EQ(unmeasured["confidence"], "medium");
  EXPECT_FALSE(unmeasured["missing_evidence"].is_null());
  const json refuted = access_in(together({{"gather.cu", source}, {"report.csv", profile(4)}}));
  EXPECT_EQ(refuted["confidence"], "low-medium");
  EXPECT_TRUE(refuted["missing_evidence"].is_null());
}

// Confirmed findings stayed in the list of those that nothing confirms, since their names did not match.
TEST(ReconcileMistakes, E5_WhatIsPartOfADiagnosisIsNotUnreconciled) {
  const json result = together({{"gather.cu", source}, {"gather.ptx", ptx}, {"report.csv", profile(32)}});
  for (const auto& [layer, names] : result["unreconciled"].items()) {
    for (const json& name : names) EXPECT_EQ(name.get<std::string>().find("uncoalesced"), std::string::npos) << layer << ": " << name;
  }
}

// Two of two layers that agree are high, also in what is promised for the counters.
TEST(ReconcileMistakes, E6_APromiseIsWhatTheCountersThenGive) {
  const std::string silent =
      "\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"gather\",\"gpu__time_duration.sum\",\"us\",\"100\"\n";
  const json before = access_in(together({{"gather.cu", source}, {"report.csv", silent}}));
  const json after = access_in(together({{"gather.cu", source}, {"report.csv", profile(32)}}));
  EXPECT_EQ(before["missing_evidence"]["confidence_if_confirmed"], "high");
  EXPECT_EQ(after["confidence"], "high");
}

TEST(ReconcileMistakes, E6_TheCauseIsNoRemedy) {
  const json found = access_in(together({{"gather.cu", source}, {"report.csv", profile(32)}}));
  EXPECT_EQ(found["display_name"], "Inefficient Global Memory Access");
  EXPECT_NE(found["fix_summary"], found["display_name"]);
}

// What frx explain writes of a profile in which one kernel gathers, and of the source of another one that nothing measured.
struct Explained {
  json evidence;
  std::string prompt;
};

Explained explained(const std::vector<std::string>& more = {}) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  std::string csv = profile(32);
  for (std::size_t at = csv.find("gather"); at != csv.npos; at = csv.find("gather", at)) csv.replace(at, 6, "other");
  csv += R"row("1","gather","(256, 1, 1)","(4096, 1, 1)","gpu__time_duration.sum","us","10")row";
  EXPECT_TRUE(write_file(folder.file("report.csv"), csv + "\n"));
  EXPECT_TRUE(write_file(folder.file("gather.cu"), source));
  std::vector<std::string> arguments = {"explain", folder.file("report.csv"), "--source", folder.file("gather.cu")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  cli::TestIo prompt, files;
  std::vector<std::string> prompt_only = arguments;
  prompt_only.push_back("--prompt-only");
  arguments.insert(arguments.end(), {"--out", folder.path()});
  EXPECT_EQ(cli::run(prompt_only, prompt.io), 0) << prompt.err();
  EXPECT_EQ(cli::run(arguments, files.io), 0) << files.err();
  return {json::parse(read_file(folder.file("frx_evidence.json"), 1 << 20).value()), prompt.out()};
}

// Source and profile show the same mistake in two kernels: neither confirms the other.
TEST(ReconcileMistakes, OfTwoKernelsOneDoesNotConfirmTheOther) {
  const json primary = explained().evidence["primary_diagnosis"];
  ASSERT_EQ(primary["label"], "uncoalesced_access");
  EXPECT_EQ(primary["layers_confirming"], (json{"ncu"}));
}

TEST(ReconcileMistakes, ABriefObeysTheUsersData) {
  const TemporaryDirectory data = TemporaryDirectory::make("/tmp").value();
  std::string diagnoses = read_file(FRX_REPOSITORY "/data/reconciliation/diagnoses.yaml", 1 << 20).value();
  const std::string display = "Inefficient Global Memory Access";
  diagnoses.replace(diagnoses.find(display), display.size(), "Scattered Reads");
  ASSERT_TRUE(write_file(data.file("reconciliation/diagnoses.yaml"), diagnoses));
  EXPECT_EQ(explained().evidence["reconciliation"]["diagnoses"][0]["display_name"], display);
  EXPECT_EQ(explained({"--data", data.path()}).evidence["reconciliation"]["diagnoses"][0]["display_name"], "Scattered Reads");
}

TEST(ReconcileMistakes, ThePromptAloneHasWhatTheSourceShows) {
  EXPECT_NE(explained().prompt.find("## SOURCE EVIDENCE"), std::string::npos);
}

}  // namespace
}  // namespace frx
