#include "derive/trace/breakdown.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

constexpr std::int64_t us = 1000;

// Of the first process of a trace.
ProcessTimes times_of(const std::string& events) {
  const model::Timeline timeline = trace_of(trace_with(events));
  std::vector<ProcessTimes> all = break_down(timeline, attribute(timeline), find_steps(timeline));
  return all.empty() ? ProcessTimes() : std::move(all.front());
}

std::string step(int number, double begin, double end) {
  return event("user_annotation", fmt::format("ProfilerStep#{}", number), "1/1", begin, end - begin);
}

// A launch, and what it launched on stream 7 of GPU 0.
std::string launched(int correlation, double launch, std::string_view kind, std::string_view name, double begin, double end) {
  const std::string id = fmt::format(R"("correlation": {}, "device": 0, "stream": 7)", correlation);
  return event("cuda_runtime", "cudaLaunchKernel", "1/1", launch, 5, id) + event(kind, name, "0/7", begin, end - begin, id);
}

TEST(Breakdown, CountsEveryNanosecondOnce) {
  const ProcessTimes times = times_of(step(1, 0, 1000) + launched(1, 10, "kernel", "gemm", 100, 400) +
                                      launched(2, 20, "kernel", "ncclDevKernel_AllReduce", 300, 600) +
                                      launched(3, 30, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 550, 700));
  const GpuTime& time = times.gpus.at(0).all;
  EXPECT_EQ(time.compute, 300 * us);
  EXPECT_EQ(time.communication, 200 * us);  // 100 of its 300 are hidden
  EXPECT_EQ(time.all_communication, 300 * us);
  EXPECT_EQ(time.host_to_device, 100 * us);
  EXPECT_EQ(time.busy() + time.idle, time.span);
  std::int64_t blamed = 0;
  for (const std::int64_t part : time.idle_by) blamed += part;
  EXPECT_EQ(blamed, time.idle);
}

std::int64_t idle_by(const ProcessTimes& times, IdleCause cause) { return times.gpus.at(0).all.idle_by[static_cast<std::size_t>(cause)]; }

TEST(Breakdown, BlamesTheLoaderOnlyForWhatItCosts) {
  const std::string loader = event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "1/1", 0, 600);
  const ProcessTimes times =
      times_of(step(1, 0, 1000) + loader + launched(1, -50, "kernel", "gemm", 0, 200) + launched(2, 700, "kernel", "gemm", 710, 1000));
  EXPECT_EQ(times.host.at(0).input, 600 * us);
  EXPECT_EQ(idle_by(times, IdleCause::input), 400 * us);  // the GPU still computed for 200
  EXPECT_EQ(idle_by(times, IdleCause::host), 100 * us);
  EXPECT_EQ(idle_by(times, IdleCause::device), 10 * us);
}

TEST(Breakdown, BlamesAWaitForAtMostItsOwnLength) {
  const std::string wait = event("cuda_runtime", "cudaStreamSynchronize", "1/1", 50, 50);
  const ProcessTimes times =
      times_of(step(1, 0, 1000) + launched(1, 0, "kernel", "gemm", 0, 100) + wait + launched(2, 300, "kernel", "gemm", 300, 1000));
  EXPECT_EQ(idle_by(times, IdleCause::sync), 50 * us);
  EXPECT_EQ(idle_by(times, IdleCause::host), 150 * us);
}

TEST(Breakdown, SaysUnknownWhereNobodyLaunchedTheNextWork) {
  const ProcessTimes times = times_of(step(1, 0, 1000) + launched(1, 0, "kernel", "gemm", 0, 100) + event("kernel", "k", "0/7", 600, 400));
  EXPECT_EQ(idle_by(times, IdleCause::unknown), 500 * us);
}

// Spec 09, B2: the GPU repeats the steps on its own track.
TEST(Breakdown, CountsStepsOnce) {
  const std::string again = event("gpu_user_annotation", "ProfilerStep#1", "0/7", 0, 1000);
  const ProcessTimes times = times_of(step(1, 0, 1000) + again + step(2, 1000, 2000) + launched(1, 0, "kernel", "k", 10, 20));
  EXPECT_EQ(times.steps.steps.size(), 2u);
  EXPECT_EQ(times.host.at(0).kernels, 1u);
}

// Spec 09, B14: a kernel belongs to the step that launched it, though it runs later.
TEST(Breakdown, CountsAKernelInTheStepThatLaunchedIt) {
  const ProcessTimes times = times_of(step(1, 0, 1000) + step(2, 1000, 2000) + launched(1, 900, "kernel", "k", 1500, 1600));
  EXPECT_EQ(times.host.at(0).kernels, 1u);
  EXPECT_EQ(times.host.at(1).kernels, 0u);
  EXPECT_EQ(times.gpus.at(0).steps.at(1).compute, 100 * us);
}

// Spec 09, B8: one range around everything is no step.
TEST(Steps, TakesTheRangeThatRepeats) {
  std::string events = event("user_annotation", "whole_training", "1/1", 0, 1000);
  for (int i = 0; i < 10; ++i)
    events += event("user_annotation", "train_step", "1/1", 100 * i, 95) + event("user_annotation", "dataloader", "1/1", 100 * i, 2);
  const ProcessTimes times = times_of(events);
  EXPECT_EQ(times.steps.name, "train_step");
  EXPECT_EQ(times.steps.steps.size(), 10u);
}

TEST(Steps, TakesTheKernelsForTheRecordingWhereNothingRepeats) {
  const ProcessTimes times = times_of(event("cpu_op", "import", "1/1", 0, 100000) + launched(1, 50000, "kernel", "k", 60000, 61000));
  EXPECT_EQ(times.steps.source, Steps::Source::recording);
  EXPECT_EQ(times.steps.steps.at(0).span, (Interval{60000 * us, 61000 * us}));
}

TEST(Breakdown, KeepsGpusApart) {
  const ProcessTimes times = times_of(step(1, 0, 100) + event("kernel", "a", "0/7", 0, 100, R"("device": 0)") +
                                      event("kernel", "b", "1/7", 0, 10, R"("device": 1)"));
  ASSERT_EQ(times.gpus.size(), 2u);
  EXPECT_EQ(times.gpus[0].all.compute, 100 * us);
  EXPECT_EQ(times.gpus[1].all.compute, 10 * us);
}

}  // namespace
}  // namespace frx::derive::trace
