#include "ingest/ncu_report/report.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/ncu_report_from_yaml.h"

namespace frx::ingest::nsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What a consumer received, copied: the views of a launch are valid during the call only.
struct Seen : ReportConsumer {
  struct OneLaunch {
    std::string name;
    std::array<std::uint64_t, 3> work{}, block{};
    std::uint64_t process = 0;
    std::map<std::string, MetricValue> metrics;
    std::map<std::string, std::size_t> instances;
    std::vector<std::string> nvtx, host_stack, fired;
  };
  std::vector<OneLaunch> launches;
  std::vector<std::uint64_t> sources;
  std::vector<std::string> functions, files;

  Result<> launch(const Launch& launch, std::uint64_t process, const StringTable& names) override {
    OneLaunch& seen = launches.emplace_back();
    seen.name = launch.best_name();
    seen.work = launch.work;
    seen.block = launch.block;
    seen.process = process;
    for (const MetricResult& metric : launch.metrics) {
      seen.metrics[std::string(names[metric.name])] = metric.value;
      if (metric.has_instances) seen.instances[std::string(names[metric.name])] = instances_of(metric).size();
    }
    if (!launch.nvtx.empty()) seen.nvtx = read_nvtx(launch.nvtx);
    for (const HostFrame& frame : read_host_stack(launch.host_stack)) seen.host_stack.emplace_back(frame.function);
    for (const std::string_view message : launch.rules) {
      if (const Rule rule = read_rule(message); rule.fired()) seen.fired.emplace_back(rule.identifier);
    }
    return {};
  }
  Result<> source(const SourceData& source) override {
    sources.push_back(source.reference);
    for (const SourceData::Function& function : source.functions) functions.emplace_back(function.mangled);
    for (const SourceData::File& file : source.files) files.emplace_back(file.path);
    return {};
  }
};

std::string report(const std::string& yaml) {
  const Result<std::string> bytes = frx::testing::ncu_report_from_yaml("report.yaml", yaml);
  if (!bytes) ADD_FAILURE() << to_string(bytes.error());
  return bytes.value_or("");
}

Result<ReportSummary> read(const std::string& bytes, ReportConsumer& consumer) {
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  return read_report(*source, consumer);
}

std::string refusal(const std::string& bytes) {
  Seen seen;
  const Result<ReportSummary> summary = read(bytes, seen);
  return summary ? std::string() : to_string(summary.error());
}

constexpr const char* two_launches = R"yaml(
tool: 2024.3.2.0
device: {name: NVIDIA A100-SXM4-40GB, cc: 8.0}
process: {id: 4711}
launches:
  - kernel: "axpy(float *, int)"
    grid: [108, 2, 1]
    block: [256, 1, 1]
    metrics: {gpu__time_duration.sum: 12345.5, launch__registers_per_thread: 32, a__nan.sum: nan, b__absent.sum: ~}
    instances: {smsp__pcsamp_sample_count: {0x10: 30, 0x20: 5}}
    nvtx: {training: [step, forward]}
    host_stack: [cudaLaunchKernel, main]
    rules: [{id: SOLBottleneck, section: SpeedOfLight, text: "Look at DRAM"}, {id: CPIStall, section: WarpStateStats}]
  - kernel: gemm_f16
    grid: [1, 1, 1]
    block: [32, 1, 1]
    metrics: {gpu__time_duration.sum: 7.0}
)yaml";

TEST(NcuReport, ReadsLaunchesWithTheirMetrics) {
  Seen seen;
  const Result<ReportSummary> summary = read(report(two_launches), seen);
  ASSERT_TRUE(summary) << to_string(summary.error());
  ASSERT_EQ(seen.launches.size(), 2u);
  const Seen::OneLaunch& first = seen.launches[0];
  EXPECT_EQ(first.name, "axpy(float *, int)");
  EXPECT_THAT(first.work, ElementsAre(108, 2, 1));
  EXPECT_THAT(first.block, ElementsAre(256, 1, 1));
  EXPECT_EQ(first.process, 4711u);
  EXPECT_EQ(first.metrics.at("gpu__time_duration.sum").number(), 12345.5);
  EXPECT_EQ(first.metrics.at("launch__registers_per_thread").integer, 32u);
  EXPECT_TRUE(std::isnan(first.metrics.at("a__nan.sum").number()));
  EXPECT_EQ(first.metrics.at("b__absent.sum").kind, MetricValue::Kind::absent);
  EXPECT_EQ(first.instances.at("smsp__pcsamp_sample_count"), 2u);
  EXPECT_EQ(seen.launches[1].name, "gemm_f16");  // without a demangled name
}

TEST(NcuReport, ReadsRangesRulesAndTheCallStack) {
  Seen seen;
  ASSERT_TRUE(read(report(two_launches), seen));
  EXPECT_THAT(seen.launches[0].nvtx, ElementsAre("training: step / forward"));
  EXPECT_THAT(seen.launches[0].host_stack, ElementsAre("cudaLaunchKernel", "main"));
  EXPECT_THAT(seen.launches[0].fired, ElementsAre("SOLBottleneck"));  // the other did not fire
}

TEST(NcuReport, MergesWhatIsKnownOfTheSession) {
  Seen seen;
  const Result<ReportSummary> summary = read(report(two_launches), seen);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->session.tool_version(), "2024.3.2.0");
  ASSERT_EQ(summary->session.devices.size(), 1u);
  EXPECT_EQ(summary->session.devices[0].name, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(summary->totals.results, 2u);
}

TEST(NcuReport, ALaunchWaitsForNamesThatComeLater) {
  Seen seen;
  const Result<ReportSummary> summary = read(report(R"(
launches:
  - {kernel: first, metrics: {early__counter.sum: 1.0, late__counter.sum: 2.0}}
  - {kernel: second, metrics: {early__counter.sum: 3.0}}
late_names: [late__counter.sum]
)"),
                                             seen);
  ASSERT_TRUE(summary) << to_string(summary.error());
  ASSERT_EQ(seen.launches.size(), 2u);
  EXPECT_EQ(seen.launches[0].name, "first");  // the order of the file is kept
  EXPECT_EQ(seen.launches[0].metrics.at("late__counter.sum").number(), 2.0);
  EXPECT_EQ(summary->totals.unnamed_values, 0u);
}

TEST(NcuReport, CountsWhatNobodyHasDescribed) {
  Seen seen;
  const Result<ReportSummary> summary = read(report("unknown_fields: true\nlaunches: [{kernel: k}]\n"), seen);
  ASSERT_TRUE(summary) << to_string(summary.error());
  EXPECT_GT(summary->totals.unknown_fields, 0u);
  EXPECT_EQ(seen.launches.size(), 1u);
}

TEST(NcuReport, ReadsSources) {
  Seen seen;
  ASSERT_TRUE(read(report(R"(
sources: [{reference: 9, sm: 8.6, functions: {_Z4axpyPfi: 0x7f00}, files: {axpy.cu: "int x;"}}]
launches: [{kernel: k, source: 9}]
)"),
                   seen));
  EXPECT_THAT(seen.sources, ElementsAre(9));
  EXPECT_THAT(seen.functions, ElementsAre("_Z4axpyPfi"));
  EXPECT_THAT(seen.files, ElementsAre("axpy.cu"));
}

TEST(NcuReport, GridsOfOldVersionsAreInThreads) {
  Launch launch;
  launch.work = {1024, 4, 1};
  launch.block = {256, 1, 1};
  EXPECT_THAT(grid_of(launch, std::nullopt, 16), ElementsAre(4, 4, 1));
  EXPECT_THAT(grid_of(launch, std::nullopt, 4096), ElementsAre(1024, 4, 1));
  EXPECT_THAT(grid_of(launch, std::nullopt, std::nullopt), ElementsAre(1024, 4, 1));  // no metric contradicts
  EXPECT_THAT(grid_of(launch, std::array<std::uint64_t, 3>{7, 8, 9}, 16), ElementsAre(7, 8, 9));
}

TEST(NcuReport, RefusesAFileThatStopsEarlyWhereverItStops) {
  const std::string whole = report(two_launches);
  Seen seen;
  std::size_t ends_of_blocks = 0;
  for (std::size_t size = 4; size < whole.size(); ++size) {
    // A file that ends with a block is a whole report, only shorter: there is no count of blocks.
    if (read(whole.substr(0, size), seen)) ++ends_of_blocks;
  }
  EXPECT_LE(ends_of_blocks, 20u);
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 1)), HasSubstr("the file ends inside a"));
}

TEST(NcuReport, NamesTheByteAtWhichItStopsToMakeSense) {
  std::string bytes = report(two_launches);
  EXPECT_THAT(refusal("XYZ" + bytes), HasSubstr("expected the magic bytes"));
  bytes[8] = '\x10';  // another field than the version
  EXPECT_THAT(refusal(bytes), HasSubstr("report file version 0 where 7 is known"));
}

TEST(NcuReport, SurvivesAnyChangedByte) {
  const std::string whole = report(two_launches);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char wrong : {'\0', '\x7f', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = wrong;
      Seen seen;
      (void)read(bytes, seen);  // an error or not; sanitizers watch
    }
  }
}

}  // namespace
}  // namespace frx::ingest::nsight
