// The flow of a tuning, with a stand-in for the program: it writes the events that a program with a known response would write.
#include "analyse/tune/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/fake_host.h"

namespace frx::analyse {
namespace {

namespace fs = std::filesystem;
using capture::TrialEnd;
using capture::TrialProcess;
using report::TuneReport;
using report::TuneTrial;
using Environment = std::map<std::string, std::string>;

// Milliseconds: the wait for the loader falls with the number of workers; 10 ms of each step are computing.
double response_ms(const Environment& environment) {
  const auto workers = environment.find("FRX_NUM_WORKERS");
  const double count = workers == environment.end() ? 0 : std::stod(workers->second);
  return 10 + 30 / (1 + count);
}

std::string events_of(const Environment& environment, double loss) {
  const int steps = std::stoi(environment.at("FRX_TUNE_MAX_STEPS"));
  std::string text;
  double now_ms = 1000;
  for (int step = 0; step < steps; ++step) {
    const double all = response_ms(environment) * (1 + 0.01 * (step % 3)), compute = 10, wait = all - compute;
    now_ms += wait;
    const auto event = [&](std::string_view type, double at_ms, double duration_ms, std::string_view payload) {
      text +=
          fmt::format(
              R"({{"schema_version":"0.1.0","event_type":"{}","step_id":{},"timestamp_ns":{:.0f},"duration_ns":{:.0f},"payload":{{{}}}}})",
              type, step, at_ms * 1e6, duration_ms * 1e6, payload) +
          "\n";
    };
    event("dataloader_span", now_ms, wait, R"("stage":"next")");
    event("step_start", now_ms, 0, R"("step_kind":"train")");
    now_ms += compute;
    event("step_end", now_ms, compute, fmt::format(R"("step_kind":"train","status":"ok","loss":{})", loss));
  }
  return text;
}

// A program as TuneTools::run sees it.
struct Program {
  int runs = 0, interrupt_at = 0;                                // 0: never
  std::function<void(const Environment&, TrialEnd&)> misbehave;  // after the events were written
  std::function<double(const Environment&)> loss = [](const Environment&) { return 1.0; };

  Result<TrialEnd> operator()(const TrialProcess& process) {
    ++runs;
    TrialEnd end;
    end.took = std::chrono::seconds(1);
    const Environment environment(process.environment.begin(), process.environment.end());
    if (runs == interrupt_at) {
      end.interrupted_by = 2;
      return end;
    }
    TRY(write_file(process.out_path, "hello\n"));
    TRY(write_file(process.err_path, ""));
    TRY(write_file(environment.at("FRX_RAW_TRACE_PATH"), events_of(environment, loss(environment))));
    if (misbehave) misbehave(environment, end);
    return end;
  }
};

class TunerTest : public ::testing::Test {
 protected:
  TunerTest() : folder_(TemporaryDirectory::make(::testing::TempDir()).value()), context_(Options()) {
    request_.folder = folder_.path();
    request_.command = {"python3", "train.py"};
    request_.program = "/usr/bin/python3";
    request_.settings.race_window = {1, 5, 1, 30};
  }

  std::shared_ptr<const TuneReport> run(Program& program) {
    const TuneTools tools{.host = host_, .run = std::ref(program), .say = [this](std::string_view line) { said_.emplace_back(line); }};
    Result<std::shared_ptr<const TuneReport>> report = tune(request_, context_, tools);
    if (report) return *report;
    error_ = report.error();
    return nullptr;
  }
  bool has_file(const std::string& name) const { return fs::exists(folder_.file(name)); }

  capture::FakeHost host_;
  TemporaryDirectory folder_;
  Context context_;
  TuneRequest request_;
  std::vector<std::string> said_;
  Error error_;
};

TEST_F(TunerTest, FindsThatWorkersHelp) {
  Program program;
  const auto report = run(program);
  ASSERT_NE(report, nullptr) << to_string(error_);
  EXPECT_EQ(report->focus, "input_bound");
  EXPECT_EQ(report->focus_from, "baseline");
  ASSERT_TRUE(report->winner);
  const TuneTrial& winner = report->trials[*report->winner];
  EXPECT_EQ(winner.stage, report::TuneStage::full);
  EXPECT_GT(winner.throughput_delta.value_or(0), 0.5);  // 40 ms against at most 20 ms
  ASSERT_TRUE(winner.speedup);
  EXPECT_LE(winner.speedup->low, *winner.throughput_delta);
  EXPECT_GE(winner.speedup->high, *winner.throughput_delta);
  EXPECT_THAT(report->unfinished, ::testing::IsEmpty());
}

TEST_F(TunerTest, LeavesTheDocumentedFiles) {
  Program program;
  const auto report = run(program);
  ASSERT_NE(report, nullptr) << to_string(error_);
  for (const char* name :
       {"config.yaml", "benchmark_window.json", "metrics.json", "stdout.log", "stderr.log", "raw/trace.jsonl", "derived/summary.json"})
    EXPECT_TRUE(has_file("baseline/" + std::string(name))) << name;
  for (const TuneTrial& trial : report->trials) {
    const std::string folder = (trial.stage == report::TuneStage::race ? "race/" : "") + trial.candidate.id;
    EXPECT_TRUE(has_file(folder + "/metrics.json")) << folder;
    EXPECT_TRUE(has_file(folder + "/config.yaml")) << folder;
  }
}

TEST_F(TunerTest, GoesOnWhereItWasInterrupted) {
  Program whole;
  const auto undisturbed = run(whole);
  ASSERT_NE(undisturbed, nullptr);
  fs::remove_all(folder_.path());
  fs::create_directories(folder_.path());

  Program first;
  first.interrupt_at = 4;
  const auto partial = run(first);
  ASSERT_NE(partial, nullptr) << to_string(error_);
  EXPECT_EQ(partial->unfinished, "interrupted");
  Program second;
  const auto report = run(second);
  ASSERT_NE(report, nullptr) << to_string(error_);
  EXPECT_EQ(report->reused_runs, 3u);
  EXPECT_EQ(second.runs + 3, whole.runs);
  ASSERT_TRUE(report->winner);
  EXPECT_EQ(report->trials[*report->winner].candidate.id, undisturbed->trials[*undisturbed->winner].candidate.id);
}

TEST_F(TunerTest, DoesNotReuseARunOfOtherSettings) {
  Program first;
  ASSERT_NE(run(first), nullptr);
  request_.settings.window.measurement_steps = 21;
  request_.settings.race_window.measurement_steps = 6;
  Program second;
  const auto report = run(second);
  ASSERT_NE(report, nullptr);
  EXPECT_EQ(report->reused_runs, 0u);
}

TEST_F(TunerTest, RejectsACandidateThatFails) {
  Program program;
  program.misbehave = [](const Environment& environment, TrialEnd& end) {
    if (environment.contains("FRX_NUM_WORKERS")) end.status = 3;
  };
  const auto report = run(program);
  ASSERT_NE(report, nullptr) << to_string(error_);
  EXPECT_FALSE(report->winner);
  for (const TuneTrial& trial : report->trials) {
    EXPECT_FALSE(trial.passed_guards());
    EXPECT_EQ(trial.exit_code, 3);
  }
}

TEST_F(TunerTest, RejectsALossThatIsWorse) {
  Program program;
  program.loss = [](const Environment& environment) { return environment.contains("FRX_NUM_WORKERS") ? 1.2 : 1.0; };
  const auto report = run(program);
  ASSERT_NE(report, nullptr) << to_string(error_);
  EXPECT_FALSE(report->winner);
  ASSERT_FALSE(report->trials.empty());
  EXPECT_THAT(report->trials[0].guard_failures, ::testing::Contains(::testing::HasSubstr("exceeds baseline")));
}

TEST_F(TunerTest, SaysThatTheBaselineFailed) {
  Program program;
  program.misbehave = [](const Environment&, TrialEnd& end) { end.status = 1; };
  EXPECT_EQ(run(program), nullptr);
  EXPECT_EQ(error_.kind, ErrorKind::negative);
  EXPECT_THAT(error_.message, ::testing::HasSubstr("the baseline failed"));
  EXPECT_THAT(error_.where, ::testing::EndsWith("/baseline"));
}

TEST_F(TunerTest, CandidatesThatMayNotRunHaveAFolderThatSaysWhy) {
  request_.settings.safe = false;
  request_.settings.bottleneck = "launch_bound";  // compilation and CUDA graphs, and no GPU is here
  Program program;
  const auto report = run(program);
  ASSERT_NE(report, nullptr) << to_string(error_);
  const auto skipped = std::ranges::find_if(report->trials, &TuneTrial::was_skipped);
  ASSERT_NE(skipped, report->trials.end());
  EXPECT_TRUE(has_file(skipped->candidate.id + "/stderr.log"));
  EXPECT_EQ(*read_file(folder_.file(skipped->candidate.id + "/stderr.log")), skipped->guard_failures.front() + "\n");
  EXPECT_EQ(fs::file_size(folder_.file(skipped->candidate.id + "/stdout.log")), 0u);
}

TEST_F(TunerTest, SaysWhatItDoes) {
  Program program;
  ASSERT_NE(run(program), nullptr);
  EXPECT_THAT(said_, ::testing::Contains("Running baseline..."));
  EXPECT_THAT(said_, ::testing::Contains(::testing::MatchesRegex("  Baseline: [0-9.]+ steps/sec \\(exit=0, steps=25\\)")));
  EXPECT_THAT(said_, ::testing::Contains(::testing::StartsWith("Running quick race stage (1 warmup + 5 measure steps)...")));
  EXPECT_THAT(said_, ::testing::Contains(::testing::StartsWith("  [1/")));
  EXPECT_THAT(said_, ::testing::Contains(::testing::StartsWith("  [PASS] dl:nw=")));
}

// The record of a run says that heat slowed the GPU down: the run is made once more, and the second one counts.
TEST_F(TunerTest, RepeatsARunDuringWhichTheGpuWasSlowedDown) {
  Program first;
  const auto before = run(first);
  ASSERT_NE(before, nullptr) << to_string(error_);
  ASSERT_TRUE(before->winner);
  const std::string id = before->trials[*before->winner].candidate.id, record = folder_.file(id + "/run.json");
  std::string text = *read_file(record);
  const std::string none = R"("gpus": [])";
  ASSERT_NE(text.find(none), text.npos);
  text.replace(text.find(none), none.size(), R"("gpus": [{"index": 0, "name": "NVIDIA T4", "slowed_by": ["hardware thermal slowdown"]}])");
  ASSERT_TRUE(write_file(record, text));

  Program second;
  const auto report = run(second);
  ASSERT_NE(report, nullptr) << to_string(error_);
  EXPECT_EQ(second.runs, 1);
  const auto trial = std::ranges::find_if(
      report->trials, [&](const TuneTrial& one) { return one.candidate.id == id && one.stage == report::TuneStage::full; });
  ASSERT_NE(trial, report->trials.end());
  ASSERT_EQ(trial->repeated.size(), 1u);
  EXPECT_TRUE(trial->repeated[0].was_throttled());
  EXPECT_EQ(trial->runs[0].folder, id + "/after_throttling");
  EXPECT_THAT(said_, ::testing::Contains(::testing::HasSubstr("the GPU was slowed down")));
}

}  // namespace
}  // namespace frx::analyse
