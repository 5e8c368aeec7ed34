#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "compose/payloads.h"
#include "compose/testing.h"
#include "report/run_analyst.h"

namespace frx::compose {
namespace {

using namespace report;
using answer::Json;
using answer::json_text;

using ::testing::HasSubstr;

Json run_json(const RunReport& report) {
  return testing::tree_of([&](JsonObject& out) { put_run(out, report); });
}

// Three steps, of which `wait` ms of 100 are waiting for the loader.
std::string events(int wait) {
  std::string lines;
  for (int i = 0; i < 3; ++i) {
    lines += fmt::format(R"({{"event_type":"dataloader_span","step_id":{},"duration_ns":{}000000,"payload":{{"stage":"next"}}}})"
                         "\n"
                         R"({{"event_type":"step_end","step_id":{},"duration_ns":100000000,"payload":{{"status":"ok"}}}})"
                         "\n",
                         i, wait, i);
  }
  return lines;
}

struct Bundle {
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  std::unique_ptr<RunAnalyst> analyst = RunAnalyst::create("").value();

  Bundle() { write("metadata.json", R"({"run_id": "run-1"})"); }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder.file(path)).parent_path());
    ASSERT_TRUE(write_file(folder.file(path), text));
  }
  void remove(const std::string& path) const { std::filesystem::remove(folder.file(path)); }
  Result<std::unique_ptr<RunReport>> analysed() const { return analyst->analyse(ingest::RunBundle::open(folder.path()).value()); }
  // What frx collect leaves behind.
  void summarise() const {
    Json summary = run_json(*analysed().value());
    summary["run_id"] = "run-1";
    summary["inputs"] = Json::array();
    const auto inputs = inputs_of(ingest::RunBundle::open(folder.path()).value()).value();
    for (const ingest::SummaryInput& input : inputs)
      summary["inputs"].push_back({{"path", input.path}, {"bytes", input.bytes}, {"sha256", input.sha256}});
    write("derived/summary.json", json_text(summary));
  }
  SummaryCheck check() const {
    const auto report = analysed();
    return report && (*report)->summary ? *(*report)->summary : SummaryCheck{SummaryState::unreadable, "no report"};
  }
};

TEST(RunSummaryCheck, FitsTheFilesItWasMadeOf) {
  Bundle bundle;
  bundle.write("raw/trace.jsonl", events(60));
  bundle.summarise();
  EXPECT_EQ(bundle.check().state, SummaryState::fits);
  EXPECT_EQ(summary_note(*bundle.analysed().value()), "");
}

TEST(RunSummaryCheck, IsStaleWhenTheyHaveChanged) {
  Bundle bundle;
  bundle.write("raw/trace.jsonl", events(60));
  bundle.summarise();
  bundle.write("raw/trace.jsonl", events(10));  // as many bytes
  const auto report = bundle.analysed().value();
  EXPECT_EQ(report->summary->state, SummaryState::stale);
  EXPECT_EQ(summary_note(*report),
            "derived/summary.json is not used: raw/trace.jsonl has changed since; the answer is made of the event stream");
  EXPECT_NE(report->scope().diagnosis.user_facing, "input_bound") << "the raw data counts";
}

TEST(RunSummaryCheck, IsStaleWhenAFileWasAdded) {
  Bundle bundle;
  bundle.write("raw/trace.jsonl", events(60));
  bundle.summarise();
  bundle.write("gpu_metrics.csv", "index,utilization.gpu\n0,40\n");
  EXPECT_EQ(bundle.check().reason, "gpu_metrics.csv was not part of it");
}

TEST(RunSummaryCheck, IsForeignWhenItNamesAnotherRun) {
  Bundle bundle;
  bundle.write("raw/trace.jsonl", events(60));
  bundle.summarise();
  bundle.write("metadata.json", R"({"run_id": "run-2"})");
  EXPECT_EQ(bundle.check().state, SummaryState::foreign);
}

TEST(RunSummaryCheck, OfTheDocumentedFormCannotBeVerified) {
  Bundle bundle;
  bundle.write("raw/trace.jsonl", events(60));
  bundle.write("derived/summary.json", R"({"event_count": 6, "per_step": []})");
  EXPECT_EQ(bundle.check().state, SummaryState::unverifiable);
  bundle.write("derived/summary.json", R"({"event_count": 5, "per_step": []})");
  EXPECT_EQ(bundle.check().reason, "it was made of 5 events, the stream has 6");
}

TEST(RunSummaryCheck, OfAnUnknownSchemaIsNotRead) {
  Bundle bundle;
  bundle.write("raw/trace.jsonl", events(60));
  for (const char* text : {"[]", "{}", R"({"schema": "run_analysis_v9", "per_step": []})", "not json"}) {
    bundle.write("derived/summary.json", text);
    EXPECT_EQ(bundle.check().state, SummaryState::unreadable) << text;
  }
}

TEST(RunAnalyst, ReadsASummaryWhereThereIsNothingElse) {
  Bundle bundle;
  bundle.write("raw/trace.jsonl", events(60));
  bundle.summarise();
  bundle.remove("raw/trace.jsonl");
  const auto report = bundle.analysed().value();
  EXPECT_EQ(report->evidence, "derived summary");
  EXPECT_EQ(report->scope().diagnosis.user_facing, "input_bound");
  EXPECT_THAT(summary_note(*report), HasSubstr("is all there is: what it was made of is not here"));
  const Json json = run_json(*report);
  EXPECT_EQ(json["run"]["per_step"].size(), 3u);
  EXPECT_EQ(json["summary"]["state"], "unverifiable");
}

TEST(RunAnalyst, SaysWhyThereIsNoSteadyState) {
  Bundle bundle;
  bundle.write("raw/trace.jsonl", events(60));
  const Json json = run_json(*bundle.analysed().value());
  EXPECT_TRUE(json["run"]["diagnosis"]["user_facing_bottleneck"].is_string());
  const Json& none = json["steady_state"];
  EXPECT_EQ(none["reason"], "3 completed steps: without the 2 that warm up, fewer than 3 would remain");
  EXPECT_EQ(none["scope"]["name"], "steady_state");
  EXPECT_EQ(none["scope"]["step_ids"], Json::array());
  EXPECT_EQ(none["per_step"], Json::array());
  EXPECT_EQ(none["diagnosis"]["user_facing_bottleneck"], nullptr);
  EXPECT_EQ(none["diagnosis"]["confidence"]["level"], "low");
}

TEST(RunAnalyst, SaysWhyASummaryIsNoAnswer) {
  Bundle bundle;
  bundle.write("derived/summary.json", "{}");
  const auto report = bundle.analysed();
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("derived/summary.json cannot be used: expected steps"));
}

TEST(RunAnalyst, TakesThresholdsOfTheUser) {
  Bundle bundle;
  bundle.write("raw/trace.jsonl", events(30));
  bundle.write("mine.yaml", "classifier_thresholds: {input_bound_ratio: 0.5}\nh100:\n  classifier_thresholds: {copy_bound_ratio: 0.9}\n");
  const Json before = run_json(*bundle.analysed().value());
  EXPECT_EQ(before["run"]["diagnosis"]["primary_bottleneck"], "input_bound");
  EXPECT_EQ(before["run"]["diagnosis"]["thresholds_hash"], "7ee5dee50142");
  bundle.analyst = RunAnalyst::create("", {bundle.folder.file("mine.yaml"), ""}).value();
  const Json after = run_json(*bundle.analysed().value());
  EXPECT_NE(after["run"]["diagnosis"]["primary_bottleneck"], "input_bound");
  EXPECT_EQ(after["run"]["diagnosis"]["thresholds_source"], "defaults+arch_overrides");
  bundle.analyst = RunAnalyst::create("", {bundle.folder.file("mine.yaml"), "H100"}).value();
  EXPECT_NE(run_json(*bundle.analysed().value())["run"]["diagnosis"]["thresholds_hash"], after["run"]["diagnosis"]["thresholds_hash"]);
}

TEST(RunAnalyst, RefusesAThresholdThatNobodyKnows) {
  Bundle bundle;
  bundle.write("mine.yaml", "classifier_thresholds: {input_ratio: 0.5}\n");
  const auto analyst = RunAnalyst::create("", {bundle.folder.file("mine.yaml"), ""});
  ASSERT_FALSE(analyst);
  EXPECT_THAT(to_string(analyst.error()), HasSubstr("no threshold 'input_ratio'"));
}

// A bundle whose evidence is a trace has its steps in the documented places.
TEST(RunAnalyst, TakesTheStepsOfATrace) {
  std::string trace;
  for (int i = 0; i < 6; ++i) {
    trace += fmt::format(R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":100}},)", i + 3,
                         1000 + 100 * i);
    trace +=
        fmt::format(R"({{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":40,"args":{{"device":0}}}},)", 1010 + 100 * i);
  }
  Bundle bundle;
  bundle.write("profiler/profiler_trace.json", "{\"traceEvents\": [" + trace + "]}");
  const auto report = bundle.analysed().value();
  EXPECT_EQ(report->evidence, "profiler trace");
  const Json json = run_json(*report);
  const Json& step = json["steady_state"]["per_step"][0];
  EXPECT_EQ(json["steady_state"]["per_step"].size(), 4u);
  EXPECT_EQ(step["step_id"], 5);
  EXPECT_EQ(step["step_wall_time_ns"], 100000);
  EXPECT_EQ(step["kernel_count"], 1);
  EXPECT_EQ(step["gpu_active_fraction_proxy"], 0.4);
  EXPECT_TRUE(step["dataloader_wait_time_ns"].is_null());
  EXPECT_EQ(json["run"]["run_summary"]["step_time_avg_ns"], 100000);
  EXPECT_EQ(json["run"]["run_summary"]["throughput_steps_per_sec"], 10000);
  EXPECT_EQ(json["event_count"], 12);
}

}  // namespace
}  // namespace frx::compose
