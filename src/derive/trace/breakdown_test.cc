#include "derive/trace/breakdown.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

using model::GpuTime;
using model::HostTime;
using model::IdleCause;
using model::StepTable;

constexpr std::int64_t us = 1000;

// Of the first process of a trace.
StepTable times_of(const std::string& events) {
  const model::Timeline timeline = trace_of(trace_with(events));
  std::vector<StepTable> all = break_down(timeline, attribute(timeline), find_steps(timeline));
  return all.empty() ? StepTable() : std::move(all.front());
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
  const StepTable times = times_of(step(1, 0, 1000) + launched(1, 10, "kernel", "gemm", 100, 400) +
                                   launched(2, 20, "kernel", "ncclDevKernel_AllReduce", 300, 600) +
                                   launched(3, 30, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 550, 700));
  const GpuTime time = model::total_of(times.gpus.at(0));
  EXPECT_EQ(time.compute, 300 * us);
  EXPECT_EQ(time.communication, 200 * us);  // 100 of its 300 are hidden
  EXPECT_EQ(time.all_communication, 300 * us);
  EXPECT_EQ(time.host_to_device, 100 * us);
  EXPECT_EQ(time.busy() + time.idle, time.span);
  std::int64_t attributed = 0;
  for (const std::int64_t part : time.idle_by) attributed += part;
  EXPECT_EQ(attributed, time.idle);
}

std::int64_t idle_by(const StepTable& times, IdleCause cause) { return model::total_of(times.gpus.at(0)).idle_because(cause); }

TEST(Breakdown, AttributesToTheLoaderOnlyWhatItCosts) {
  const std::string loader = event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "1/1", 0, 600);
  const StepTable times =
      times_of(step(1, 0, 1000) + loader + launched(1, -50, "kernel", "gemm", 0, 200) + launched(2, 700, "kernel", "gemm", 710, 1000));
  EXPECT_EQ(times.time(HostTime::loader, 0), 600 * us);
  EXPECT_EQ(idle_by(times, IdleCause::input), 400 * us);  // the GPU still computed for 200
  EXPECT_EQ(idle_by(times, IdleCause::host), 105 * us);   // the call takes 5
  EXPECT_EQ(idle_by(times, IdleCause::device), 5 * us);
}

// A thread that is still within the loader when a kernel begins had launched it before.
TEST(Breakdown, AttributesNothingToALoaderThatTheNextWorkDidNotWaitFor) {
  const std::string loader = event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "1/1", 100, 600);
  const auto input_of = [&](double next) {
    const std::string kernels =
        event("kernel", "gemm", "0/7", 0, 200, R"("stream": 7)") + event("kernel", "gemm", "0/7", next, 100, R"("stream": 7)");
    return idle_by(times_of(step(1, 0, 1000) + loader + kernels), IdleCause::input);
  };
  EXPECT_EQ(input_of(500), 100 * us) << "behind the last kernel; the gap of 300 us before it ended while the loader was still at work";
  EXPECT_EQ(input_of(720), 500 * us);
  EXPECT_EQ(input_of(695), 495 * us) << "clocks differ by some microseconds";
}

TEST(Breakdown, AttributesToAWaitAtMostItsOwnLength) {
  const std::string wait = event("cuda_runtime", "cudaStreamSynchronize", "1/1", 50, 50);
  const StepTable times =
      times_of(step(1, 0, 1000) + launched(1, 0, "kernel", "gemm", 0, 100) + wait + launched(2, 300, "kernel", "gemm", 300, 1000));
  EXPECT_EQ(idle_by(times, IdleCause::sync), 50 * us);
  EXPECT_EQ(idle_by(times, IdleCause::host), 150 * us);
}

// What follows a call that frees memory could have been done while it waited for the GPU.
TEST(Breakdown, AttributesToTheAllocatorWhatItsWaitDelays) {
  const std::string free = event("cuda_runtime", "cudaFree", "1/1", 20, 85);  // until the GPU is done, and 5 us more
  const StepTable times =
      times_of(step(1, 0, 1000) + launched(1, 0, "kernel", "gemm", 0, 100) + free + launched(2, 295, "kernel", "gemm", 300, 1000));
  EXPECT_EQ(idle_by(times, IdleCause::allocator), 90 * us) << "5 in the call, and 85 behind it";
  EXPECT_EQ(idle_by(times, IdleCause::host), 110 * us);
}

TEST(Breakdown, SaysUnknownWhereNobodyLaunchedTheNextWork) {
  const StepTable times = times_of(step(1, 0, 1000) + launched(1, 0, "kernel", "gemm", 0, 100) + event("kernel", "k", "0/7", 600, 400));
  EXPECT_EQ(idle_by(times, IdleCause::unknown), 500 * us);
}

// Spec 09, B2: the GPU repeats the steps on its own track.
TEST(Breakdown, CountsStepsOnce) {
  const std::string again = event("gpu_user_annotation", "ProfilerStep#1", "0/7", 0, 1000);
  const StepTable times = times_of(step(1, 0, 1000) + again + step(2, 1000, 2000) + launched(1, 0, "kernel", "k", 10, 20));
  EXPECT_EQ(times.size(), 2u);
  EXPECT_EQ(times.kernels[0], 1);
}

// Spec 09, B14: a kernel belongs to the step that launched it, though it runs later.
TEST(Breakdown, CountsAKernelInTheStepThatLaunchedIt) {
  const StepTable times = times_of(step(1, 0, 1000) + step(2, 1000, 2000) + launched(1, 900, "kernel", "k", 1500, 1600));
  EXPECT_EQ(times.kernels[0], 1);
  EXPECT_EQ(times.kernels[1], 0);
  EXPECT_EQ(times.gpus.at(0).steps.at(1).compute, 100 * us);
}

// Spec 09, B8: one range around everything is no step.
TEST(Steps, TakesTheRangeThatRepeats) {
  std::string events = event("user_annotation", "whole_training", "1/1", 0, 1000);
  for (int i = 0; i < 10; ++i)
    events += event("user_annotation", "train_step", "1/1", 100 * i, 95) + event("user_annotation", "dataloader", "1/1", 100 * i, 2);
  const StepTable times = times_of(events);
  EXPECT_EQ(times.name, "train_step");
  EXPECT_EQ(times.size(), 10u);
}

// 1 ms of work in 100 ms keeps nothing busy, though the work has no gap in it.
TEST(Steps, TakesTheProgramForTheRecordingWhereNothingRepeats) {
  const model::Timeline timeline =
      trace_of(trace_with(event("Trace", "PyTorch Profiler (0)", "1/1", -500, 200000) + event("cpu_op", "import", "1/1", 0, 100000) +
                          launched(1, 59990, "kernel", "k", 60000, 61000)));
  const Steps steps = find_steps(timeline).at(0);
  EXPECT_EQ(steps.source, model::StepSource::recording);
  EXPECT_EQ(steps.steps.at(0).span, (Interval{0, 100000 * us}));
}

TEST(Breakdown, KeepsGpusApart) {
  const StepTable times = times_of(step(1, 0, 100) + event("kernel", "a", "0/7", 0, 100, R"("device": 0)") +
                                   event("kernel", "b", "1/7", 0, 10, R"("device": 1)"));
  ASSERT_EQ(times.gpus.size(), 2u);
  EXPECT_EQ(model::total_of(times.gpus[0]).compute, 100 * us);
  EXPECT_EQ(model::total_of(times.gpus[1]).compute, 10 * us);
}

// A value that is not in a trace is unknown, not zero.
TEST(Breakdown, LeavesOutWhatWasNotRecorded) {
  const StepTable times = times_of(step(1, 0, 100) + step(2, 100, 250));
  EXPECT_EQ(times.wall_ns(1), 150 * us);
  for (const HostTime part : {HostTime::loader, HostTime::host_to_device, HostTime::sync, HostTime::forward}) {
    EXPECT_FALSE(times.recorded(part));
    EXPECT_FALSE(times.time(part, 0));
  }
  EXPECT_TRUE(times.gpus.empty());
  EXPECT_FALSE(times.shape_changed(1));
  const StepTable with_call = times_of(step(1, 0, 100) + event("cuda_runtime", "cudaLaunchKernel", "1/1", 10, 5));
  EXPECT_EQ(with_call.time(HostTime::sync, 0), 0);
}

}  // namespace
}  // namespace frx::derive::trace
