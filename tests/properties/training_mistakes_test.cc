// The mistakes found in the reference on traces and run bundles, one test each, with our right answer.
// The names B1 to B16 are those of the review that found them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "cli/test_io.h"

namespace frx {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr long ms = 1'000'000;

// A folder, and what frx analyze says of a path in it.
struct Folder {
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder.file(path)).parent_path());
    ASSERT_TRUE(write_file(folder.file(path), text));
  }
  json analysed(const std::string& path) const {
    cli::TestIo io;
    EXPECT_EQ(io.run({"analyze", folder.file(path), "--json"}), 0) << io.err();
    const json answer = json::parse(io.out(), nullptr, false);
    return answer.is_object() ? answer["result"] : json();
  }
};

// A trace of the PyTorch profiler, built event by event. Times are nanoseconds.
class Trace {
 public:
  Trace& event(std::string_view category, std::string_view name, std::string_view track, long begin, long duration,
               std::string_view args = "") {
    const std::size_t slash = track.find('/');
    text_ += fmt::format(R"({}{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})",
                         text_.empty() ? "" : ",\n", category, name, track.substr(0, slash), track.substr(slash + 1),
                         static_cast<double>(begin) / 1000, static_cast<double>(duration) / 1000, args);
    return *this;
  }
  Trace& step(int number, long begin, long duration) {
    return event("user_annotation", fmt::format("ProfilerStep#{}", number), "1/1", begin, duration);
  }
  // A launch by the program, and the work on the GPU that it made.
  Trace& gpu(std::string_view category, std::string_view name, std::string_view call, long launched, long begin, long duration) {
    const std::string id = fmt::format(R"("correlation": {})", ++correlation_);
    event("cuda_runtime", call, "1/1", launched, 5'000, id);
    return event(category, name, "0/7", begin, duration, id + R"(, "device": 0, "stream": 7)");
  }
  Trace& kernel(long launched, long begin, long duration) { return gpu("kernel", "sgemm", "cudaLaunchKernel", launched, begin, duration); }
  std::string text() const { return "{\"traceEvents\": [\n" + text_ + "\n]}\n"; }
  json analysed() const {
    const Folder folder;
    folder.write("trace.json", text());
    return folder.analysed("trace.json");
  }

 private:
  std::string text_;
  int correlation_ = 0;
};

// The event stream of a run, as the SDK writes it.
class Stream {
 public:
  Stream& event(std::string_view type, const std::string& step, long time, long duration, std::string_view payload) {
    text_ +=
        fmt::format(R"({{"schema_version":"0.1.0","event_type":"{}","step_id":{},"timestamp_ns":{},"duration_ns":{},"payload":{{{}}}}})",
                    type, step, time, duration, payload) +
        "\n";
    return *this;
  }
  // A step of `wall`, before it a wait for the loader.
  Stream& step(int id, long wait, long wall, const std::vector<std::pair<std::string, std::string>>& inside = {}) {
    const std::string name = std::to_string(id);
    if (wait > 0) event("dataloader_span", name, now_ += wait, wait, R"("stage": "next")");
    event("step_start", name, now_, 0, R"("step_kind": "train")");
    for (const auto& [type, payload] : inside) line(type, name, payload);
    now_ += wall;
    return event("step_end", name, now_, wall, R"("step_kind": "train", "status": "ok")");
  }
  // `payload` begins with its duration: "20000000 | "wait_kind": "item"".
  void line(const std::string& type, const std::string& step, const std::string& payload) {
    const std::size_t bar = payload.find('|');
    event(type, step, now_ + 1, std::stol(payload.substr(0, bar)), payload.substr(bar + 1));
  }
  Stream& raw(const std::string& lines) {
    text_ += lines;
    return *this;
  }
  const std::string& text() const { return text_; }
  json analysed(const std::string& gpu_rows = "") const {
    const Folder folder;
    folder.write("run-1/metadata.json", R"({"run_id": "run-1"})");
    folder.write("run-1/raw/trace.jsonl", text_);
    if (!gpu_rows.empty()) {
      folder.write("run-1/gpu_metrics.csv",
                   "timestamp,index,name,utilization.gpu,utilization.memory,memory.used,memory.total\n" + gpu_rows);
    }
    return folder.analysed("run-1");
  }

 private:
  std::string text_;
  long now_ = 1'000'000'000;
};

// What a reader is told: the scope that answers.
const json& scope_of(const json& answer) { return answer["steady_state"]["reason"].is_null() ? answer["steady_state"] : answer["run"]; }
std::string verdict(const json& answer) { return scope_of(answer)["diagnosis"]["user_facing_bottleneck"].dump(); }
double score(const json& answer, std::string_view label) {
  for (const json& one : scope_of(answer)["bottlenecks"]) {
    if (one["label"] == label) return one["score"];
  }
  return -1;
}

TEST(TrainingMistakes, B1_CopiesAndWaitsOnTheGpuTrackAreSeen) {
  Trace trace;
  for (int i = 0; i < 6; ++i) {
    const long at = 1000 * ms + i * 99 * ms;
    trace.step(i, at, 99 * ms);
    trace.gpu("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", "cudaMemcpyAsync", at + ms, at + 2 * ms, 60 * ms);
    trace.kernel(at + 3 * ms, at + 62 * ms, 10 * ms);
    trace.event("cuda_runtime", "cudaStreamSynchronize", "1/1", at + 52 * ms, 20 * ms);
  }
  const json answer = trace.analysed();
  EXPECT_EQ(answer["run"]["per_step"][0]["h2d_copy_time_ns"], 60 * ms);
  EXPECT_EQ(answer["run"]["per_step"][0]["sync_wait_time_ns"], 20 * ms);
  EXPECT_EQ(verdict(answer), "\"copy_bound\"");
  EXPECT_NEAR(score(answer, "copy_bound"), 60.0 / 99, 0.001);
  EXPECT_EQ(score(answer, "launch_bound"), -1);
}

TEST(TrainingMistakes, B2_StepsRepeatedOnTheGpuTrackCountOnce) {
  Trace trace;
  for (int i = 0; i < 6; ++i) {
    const long at = 1000 * ms + i * 20 * ms;
    trace.step(i, at, 20 * ms).event("gpu_user_annotation", fmt::format("ProfilerStep#{}", i), "0/7", at + ms, 20 * ms);
    trace.event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "1/1", at, 5 * ms);
    trace.kernel(at + 6 * ms, at + 7 * ms, 4 * ms).kernel(at + 7 * ms, at + 12 * ms, 4 * ms);
  }
  const json answer = trace.analysed();
  EXPECT_EQ(answer["step_count"], 6);
  EXPECT_EQ(answer["run"]["per_step"].size(), 6u);
  EXPECT_EQ(answer["run"]["per_step"][2]["dataloader_wait_time_ns"], 5 * ms);
  EXPECT_EQ(answer["run"]["per_step"][2]["kernel_count"], 2);
}

TEST(TrainingMistakes, B3_LongKernelsAndMissingSamplesAreNoLaunchOverhead) {
  Stream stream;
  for (int i = 0; i < 6; ++i) {
    stream.step(
        i, 0, 50 * ms,
        {{"phase_span", R"(45000000 | "phase_name": "forward")"},
         {"profiler_window",
          R"(0 | "window_state": "exported", "kernel_count": 5, "kernel_count_per_step": 5, "median_cuda_kernel_duration_us": 9000, "small_kernel_fraction": 0)"}});
  }
  const json answer = stream.raw("").analysed();
  EXPECT_EQ(score(answer, "launch_bound"), -1);
  EXPECT_TRUE(scope_of(answer)["run_summary"]["average_gpu_utilization_pct"].is_null()) << "not sampled is not 0 %";
  EXPECT_TRUE(scope_of(answer)["framework_abstraction_tax"].is_null());
}

TEST(TrainingMistakes, B4_FullMemoryDoesNotLeadOverALoaderThatTakesTheTime) {
  Stream stream;
  for (int i = 0; i < 6; ++i) stream.step(i, 80 * ms, 20 * ms);
  const json answer = stream.analysed("t,0,GPU,40,10,95,100\nt,0,GPU,42,10,95,100\n");
  EXPECT_EQ(verdict(answer), "\"input_bound\"");
  EXPECT_NEAR(score(answer, "memory_pressure"), 0.95, 1e-9) << "it is said all the same";
}

TEST(TrainingMistakes, B5_IdleGpusOfOthersDoNotHideABusyOne) {
  Stream stream;
  for (int i = 0; i < 6; ++i) stream.step(i, 0, 100 * ms);
  std::string rows = "t,0,GPU,98,10,50,100\n";
  for (int gpu = 1; gpu < 8; ++gpu) rows += fmt::format("t,{},GPU,0,0,1,100\n", gpu);
  EXPECT_EQ(score(stream.analysed(rows), "underutilized_gpu"), -1);
}

TEST(TrainingMistakes, B5_NothingAtAllIsUnderutilised) {
  Stream stream;
  for (int i = 0; i < 6; ++i) stream.step(i, 0, 100 * ms);
  EXPECT_EQ(score(stream.analysed("t,0,GPU,0,0,10,100\nt,0,GPU,0,0,10,100\n"), "underutilized_gpu"), 1);
}

TEST(TrainingMistakes, B6_ThroughputCountsTheWaitBeforeAStep) {
  Stream stream;
  for (int i = 0; i < 6; ++i) stream.step(i, 300 * ms, 100 * ms);
  EXPECT_DOUBLE_EQ(scope_of(stream.analysed())["run_summary"]["throughput_steps_per_sec"], 2.5);
}

TEST(TrainingMistakes, B6_WaitsOfAllEpochsAreNotPutOnTheFirst) {
  Stream stream;
  for (int i = 0; i < 30; ++i) stream.step(i % 5, 5 * ms, 95 * ms);
  const json answer = stream.analysed();
  EXPECT_EQ(answer["step_count"], 30);
  EXPECT_EQ(score(answer, "input_bound"), -1);
  EXPECT_NEAR(scope_of(answer)["facts"]["input_fraction"], 0.05, 1e-9);
}

TEST(TrainingMistakes, B7_TwoStepsAreAnswered) {
  const json answer = Stream().step(0, 90 * ms, 10 * ms).step(1, 90 * ms, 10 * ms).analysed();
  EXPECT_EQ(answer["steady_state"]["reason"], "2 completed steps: without the 2 that warm up, fewer than 3 would remain");
  EXPECT_EQ(verdict(answer), "\"input_bound\"");
  EXPECT_EQ(scope_of(answer)["diagnosis"]["confidence"]["level"], "medium") << "two steps are not enough for high";
}

TEST(TrainingMistakes, B7_TheStepsOfATraceCanBeChosenAsThoseOfARun) {
  Trace trace;
  for (int i = 0; i < 6; ++i) trace.step(i, 1000 * ms + i * 20 * ms, i == 0 ? 18 * ms : 10 * ms);
  const Folder folder;
  folder.write("trace.json", trace.text());
  folder.write("short.json", Trace().step(0, 1000 * ms, 20 * ms).step(1, 1020 * ms, 20 * ms).text());
  const auto text = [&](const std::string& path, const std::string& scope, int code) {
    cli::TestIo io;
    EXPECT_EQ(io.run({"analyze", folder.folder.file(path), "--scope", scope}), code) << scope;
    return io.out();
  };
  EXPECT_THAT(text("trace.json", "run", 0), HasSubstr("11.33 ms"));
  EXPECT_THAT(text("trace.json", "run", 0), Not(HasSubstr("left out")));
  EXPECT_THAT(text("trace.json", "auto", 0), HasSubstr("the first 2 left out"));
  text("short.json", "steady_state", 3);
  text("trace.json", "all", 2);
}

TEST(TrainingMistakes, B8_AWrapperAroundAllStepsIsNoStep) {
  Trace trace;
  trace.event("user_annotation", "whole_training", "1/1", 1000 * ms, 1000 * ms);
  for (int i = 0; i < 10; ++i) {
    const long at = 1000 * ms + i * 100 * ms;
    trace.event("user_annotation", "train_step", "1/1", at, 99 * ms).kernel(at + ms, at + 2 * ms, 50 * ms);
  }
  EXPECT_EQ(trace.analysed()["step_count"], 10);
}

TEST(TrainingMistakes, B9_WhatIsNoEventIsLeftOutAndSaid) {
  Stream stream;
  for (int i = 0; i < 6; ++i) stream.step(i, 60 * ms, 40 * ms);
  stream
      .raw(
          "123\n[1]\n\"text\"\nnull\n{\"event_type\": \"step_end\", \"step_id\": \"7\", \"duration_ns\": \"40000000\", \"payload\": "
          "null}\n")
      .raw(
          "{\"event_type\": [], \"step_id\": {}, \"payload\": 3}\n{\"event_type\": \"sync_wait\", \"step_id\": \"x\", \"duration_ns\": "
          "[]}\n");
  const json answer = stream.analysed();
  EXPECT_EQ(verdict(answer), "\"input_bound\"");
  EXPECT_THAT(answer["notes"].dump(), HasSubstr("4 of the event stream are no events"));
}

TEST(TrainingMistakes, B9_ASummaryThatIsAListDoesNoHarm) {
  const Folder folder;
  folder.write("run-1/raw/trace.jsonl", Stream().step(0, 60 * ms, 40 * ms).step(1, 60 * ms, 40 * ms).text());
  folder.write("run-1/derived/summary.json", "[]");
  EXPECT_EQ(verdict(folder.analysed("run-1")), "\"input_bound\"");
}

// 40,000 events in 200 steps: looking through all events for each step would be eight million looks.
TEST(TrainingMistakes, B10_EventsAreNotLookedThroughOncePerStep) {
  Trace trace;
  for (int i = 0; i < 200; ++i) {
    const long at = 1000 * ms + i * 10 * ms;
    trace.step(i, at, 10 * ms);
    for (int k = 0; k < 100; ++k) trace.kernel(at + k * 100'000, at + k * 100'000 + 20'000, 50'000);
  }
  const json answer = trace.analysed();
  EXPECT_EQ(answer["step_count"], 200);
  EXPECT_EQ(answer["run"]["per_step"][199]["kernel_count"], 100);
}

TEST(TrainingMistakes, B11_TheNamesOfTensorBoardsTraceHandlerAreFound) {
  Trace trace;
  for (int i = 0; i < 6; ++i)
    trace.step(i, 1000 * ms + i * 20 * ms, 20 * ms).kernel(1001 * ms + i * 20 * ms, 1002 * ms + i * 20 * ms, 15 * ms);
  const Folder folder;
  folder.write("written/host1_4711.1700000000000.pt.trace.json", trace.text());
  cli::TestIo io;
  ASSERT_EQ(io.run({"collect", "--out", folder.folder.file("runs"), "--run-id", "run-1", "--artifact-dir", folder.folder.file("artifacts"),
                    "--", "/bin/sh", "-c", "mkdir -p $0/artifacts; cp $0/written/* $0/artifacts/", folder.folder.path()}),
            0)
      << io.err();
  EXPECT_TRUE(std::filesystem::exists(folder.folder.file("runs/run-1/profiler/host1_4711.1700000000000.pt.trace.json"))) << io.err();
  EXPECT_EQ(folder.analysed("runs/run-1")["evidence"], "profiler trace");
}

TEST(TrainingMistakes, B12_FewStepsAreNeverCertain) {
  Trace trace;
  for (int i = 0; i < 2; ++i) {
    const long at = 1000 * ms + i * 20 * ms;
    trace.step(i, at, 20 * ms).event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "1/1", at, 19 * ms);
    trace.kernel(at + 19 * ms, at + 19 * ms + 10'000, ms / 2);
  }
  const json confidence = scope_of(trace.analysed())["diagnosis"]["confidence"];
  EXPECT_LT(confidence["score"], 0.75);
  EXPECT_THAT(confidence["reason"].get<std::string>(), HasSubstr("two steps only"));
}

TEST(TrainingMistakes, B12_ThatNothingWasRecordedIsNotKnownWithCertainty) {
  Stream stream;
  for (int i = 0; i < 6; ++i) stream.step(i, 0, 100 * ms);
  const json answer = stream.analysed();
  EXPECT_EQ(verdict(answer), "\"insufficient_telemetry\"");
  EXPECT_EQ(scope_of(answer)["diagnosis"]["confidence"]["level"], "low");
}

// The SDK writes these; that it synchronises nothing itself is tested in python/tests/test_gpu_timing.py.
TEST(TrainingMistakes, B13_WaitsCountAndPhasesAddUp) {
  Stream stream;
  for (int i = 0; i < 6; ++i) {
    stream.step(i, 0, 100 * ms,
                {{"sync_wait", R"(40000000 | "wait_kind": "item")"},
                 {"phase_span", R"(10000000 | "phase_name": "forward")"},
                 {"phase_span", R"(10000000 | "phase_name": "forward")"}});
  }
  const json answer = stream.analysed();
  EXPECT_EQ(verdict(answer), "\"sync_bound\"");
  EXPECT_EQ(answer["run"]["per_step"][0]["forward_time_ns"], 20 * ms);
}

TEST(TrainingMistakes, B14_AKernelThatEndsAfterItsStepIsCounted) {
  Trace trace;
  for (int i = 0; i < 4; ++i) {
    const long at = 1000 * ms + i * 20 * ms;
    trace.step(i, at, 20 * ms).kernel(at + 2 * ms, at + 3 * ms, 2 * ms).kernel(at + 19 * ms, at + 19 * ms + 50'000, 2 * ms);
  }
  const json answer = trace.analysed();
  for (const json& step : answer["run"]["per_step"]) EXPECT_EQ(step["kernel_count"], 2) << step["step_id"];
}

TEST(TrainingMistakes, B14_AWindowOverFiveStepsIsDividedAmongThem) {
  Stream stream;
  for (int i = 0; i < 5; ++i) {
    stream.step(i, 0, 100 * ms,
                i < 4 ? std::vector<std::pair<std::string, std::string>>{}
                      : std::vector<std::pair<std::string, std::string>>{
                            {"profiler_window", R"(0 | "window_state": "exported", "start_step": 0, "end_step": 4, "kernel_count": 500)"}});
  }
  EXPECT_EQ(stream.analysed()["run"]["run_summary"]["kernel_count_per_step"], 100);
}

TEST(TrainingMistakes, B15_AnEmptySummaryIsNoReport) {
  const Folder folder;
  folder.write("run-1/derived/summary.json", "{}");
  cli::TestIo io;
  EXPECT_NE(io.run({"analyze", folder.folder.file("run-1")}), 0);
  EXPECT_THAT(io.out(), Not(HasSubstr("VERDICT")));
}

TEST(TrainingMistakes, B16_AMomentIsBlamedOnceAndAHiddenStallOnNobody) {
  Trace trace;
  for (int i = 0; i < 6; ++i) {
    const long at = 1000 * ms + i * 100 * ms;
    trace.step(i, at, 100 * ms);
    // The loader and a wait for the GPU at once, both behind a kernel for the first 60 ms.
    trace.event("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "1/1", at, 80 * ms);
    trace.event("cuda_runtime", "cudaDeviceSynchronize", "1/1", at, 80 * ms);
    trace.kernel(at + 81 * ms, at + 82 * ms, 78 * ms);
  }
  const json answer = trace.analysed();
  const json& time = answer["gpus"][0]["time"];
  long idle = 0;
  for (const json& part : time["idle_by_cause_ns"]) idle += part.get<long>();
  EXPECT_EQ(idle, time["idle_ns"]);
  EXPECT_EQ(time["compute_ns"].get<long>() + time["exposed_copy_ns"].get<long>() + time["exposed_communication_ns"].get<long>() + idle,
            time["span_ns"]);
  EXPECT_LT(scope_of(answer)["facts"]["input_fraction"], 0.30) << "60 of the 80 ms are hidden";
  EXPECT_LT(scope_of(answer)["facts"]["sync_fraction"], 0.02) << "the loader has been blamed already";
}

TEST(TrainingMistakes, B16_ALoaderBelowItsThresholdIsNotChargedToTheFramework) {
  Stream stream;
  const std::vector<std::pair<std::string, std::string>> window = {
      {"profiler_window", R"(0 | "window_state": "exported", "kernel_count_per_step": 5, "median_cuda_kernel_duration_us": 9000)"}};
  for (int i = 0; i < 6; ++i) stream.step(i, 19 * ms, 81 * ms, window);
  const json answer = stream.analysed("t,0,GPU,81,10,50,100\nt,0,GPU,81,10,50,100\n");
  EXPECT_EQ(score(answer, "input_bound"), -1);
  EXPECT_EQ(scope_of(answer)["framework_abstraction_tax"]["score"], 0);
}

}  // namespace
}  // namespace frx
