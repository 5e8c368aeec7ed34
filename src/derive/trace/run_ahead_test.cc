#include "derive/trace/run_ahead.h"

#include <gtest/gtest.h>

#include "derive/trace/breakdown.h"
#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

constexpr std::int64_t ahead_us = 1000;

// Steps that follow each other: each is so long in the program, and launches one kernel at its beginning that takes so long on the GPU.
// Where the program waits, a step ends with its kernel.
std::string steps_ahead(int count, double in_program, double on_gpu, bool waits) {
  std::string events;
  double now = 0, gpu = 0;
  for (int i = 1; i <= count; ++i) {
    const std::string id = fmt::format(R"("correlation": {}, "device": 0, "stream": 7)", i);
    const double begin = std::max(now + 10, gpu);
    gpu = begin + on_gpu;
    const double end = waits ? std::max(now + in_program, gpu) : now + in_program;
    events += event("user_annotation", fmt::format("ProfilerStep#{}", i), "1/1", now, end - now);
    events += event("cuda_runtime", "cudaLaunchKernel", "1/1", now + 1, 5, id) + event("kernel", "k", "0/7", begin, on_gpu, id);
    if (waits) events += event("cuda_runtime", "cudaStreamSynchronize", "1/1", now + 20, end - now - 20);
    now = end;
  }
  return events;
}

Steps followed(const std::string& events) {
  const model::Timeline timeline = trace_of(trace_with(events));
  Steps found = find_steps(timeline).at(0);
  follow_gpu(timeline, attribute(timeline), found);
  return found;
}

TEST(RunAhead, StepsTakeWhatTheGpuTakes) {
  const Steps found = followed(steps_ahead(10, 500, 2000, false));
  EXPECT_TRUE(found.runs_ahead);
  const std::vector<Interval> times = times_of(found);
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_EQ(times[i].length(), 2000 * ahead_us) << i;
  EXPECT_EQ(times.front(), (Interval{0, 2010 * ahead_us})) << "the first begins with the program";
}

TEST(RunAhead, IsNoMatterWhereTheProgramWaits) {
  const Steps found = followed(steps_ahead(10, 500, 2000, true));
  EXPECT_FALSE(found.runs_ahead);
  EXPECT_EQ(times_of(found), spans_of(found));
}

TEST(RunAhead, IsNoMatterWhereTheProgramIsTheSlowOne) { EXPECT_FALSE(followed(steps_ahead(10, 2000, 500, false)).runs_ahead); }

// Whatever the program does, times are one after another, together from the first begin to the last end of all, and none ends before the
// work that it launched.
TEST(RunAhead, TimesCoverProgramAndGpu) {
  for (int in_program = 100; in_program <= 3000; in_program += 290) {
    for (int on_gpu = 50; on_gpu <= 3000; on_gpu += 310) {
      const Steps found = followed(steps_ahead(7, in_program, on_gpu, false));
      const std::vector<Interval> times = times_of(found);
      std::int64_t sum = times.front().length();
      for (std::size_t i = 1; i < times.size(); ++i) {
        EXPECT_EQ(times[i].begin, times[i - 1].end);
        sum += times[i].length();
      }
      const std::int64_t longest = std::max(7 * in_program, 10 + 7 * on_gpu) * ahead_us;
      EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(longest), 0.06 * static_cast<double>(longest))
          << in_program << ' ' << on_gpu;
    }
  }
}

TEST(RunAhead, ARecordingBeginsWithAGpuThatWasBusyBefore) {
  const auto launched_at = [](double launch, double begin) {
    const std::string id = R"("correlation": 1, "device": 0, "stream": 7)";
    return event("cuda_runtime", "cudaLaunchKernel", "1/1", launch, 5, id) + event("kernel", "k", "0/7", begin, 1000, id);
  };
  EXPECT_EQ(followed(launched_at(0, 8000)).steps.at(0).span, (Interval{8000 * ahead_us, 9000 * ahead_us}))
      << "it had work from before the recording";
  EXPECT_EQ(followed(launched_at(0, 10)).steps.at(0).span, (Interval{0, 1010 * ahead_us}));
  EXPECT_EQ(followed(event("cpu_op", "aten::randn", "1/1", 0, 7000) + launched_at(6990, 7000)).steps.at(0).span.begin, 0)
      << "here it had nothing to do";
}

}  // namespace
}  // namespace frx::derive::trace
