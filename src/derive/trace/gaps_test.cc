#include "derive/trace/gaps.h"

#include <gtest/gtest.h>

#include "derive/trace/breakdown.h"
#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;
using model::IdleCause;
using model::IdleGap;

std::vector<IdleGap> gaps_of(std::initializer_list<std::int64_t> lengths) {
  std::vector<IdleGap> gaps;
  for (const std::int64_t length : lengths) gaps.push_back({0, length, {}, {}, false, 0, 0});
  return gaps;
}

TEST(Gaps, TheLongestAreKept) {
  std::vector<Interval> idle;
  for (std::int64_t i = 1; i <= 40; ++i) idle.push_back({100 * i, 100 * i + i});
  const std::vector<IdleGap> gaps = longest_gaps(idle);
  ASSERT_EQ(gaps.size(), gaps_kept);
  EXPECT_EQ(gaps.front().length(), 25);
  EXPECT_EQ(gaps.back().length(), 40);
  EXPECT_TRUE(longest_gaps({}).empty());
}

TEST(Gaps, SomeHappenOnce) {
  EXPECT_EQ(one_off_count(gaps_of({500, 10, 9, 8}), 8, 2000), 1u);
  EXPECT_EQ(one_off_count(gaps_of({500, 400, 10, 9}), 8, 2000), 2u);
  EXPECT_EQ(one_off_count(gaps_of({500, 400, 300, 10}), 8, 2000), 0u) << "three of eight steps have one";
  EXPECT_EQ(one_off_count(gaps_of({500, 200, 10, 9}), 4, 2000), 0u) << "two of four";
  EXPECT_EQ(one_off_count(gaps_of({500, 10}), 3, 2000), 0u) << "too few steps to tell what recurs";
  EXPECT_EQ(one_off_count(gaps_of({30, 1}), 8, 2000), 0u) << "too short to matter";
  EXPECT_EQ(one_off_count({}, 8, 2000), 0u);
}

// Each step has the same gap: however many there are, none is left out.
TEST(Gaps, ThoseOfEveryStepRecur) {
  for (std::size_t steps = 1; steps <= 100; ++steps) {
    const std::vector<IdleGap> kept(std::min(steps, gaps_kept), {0, 100, {}, {}, false, 0, 0});
    EXPECT_EQ(one_off_count(kept, steps, static_cast<std::int64_t>(steps) * 200), 0u) << steps;
  }
}

std::string gap_work(int correlation, double launch, double begin, double duration) {
  const std::string id = fmt::format(R"("correlation": {}, "device": 0, "stream": 7)", correlation);
  return event("cuda_runtime", "cudaLaunchKernel", "1/1", launch, 5, id) + event("kernel", "k", "0/7", begin, duration, id);
}

model::GpuSteps gpu_of(const std::string& events) {
  const model::Timeline timeline = trace_of(trace_with(events));
  return break_down(timeline, attribute(timeline), find_steps(timeline)).at(0).gpus.at(0);
}

std::string during(const std::string& in_the_gap) {
  const model::GpuSteps gpu =
      gpu_of(event("user_annotation", "ProfilerStep#1", "1/1", 0, 1000) + gap_work(1, 0, 10, 90) + in_the_gap + gap_work(2, 895, 900, 100));
  const auto longest = std::ranges::max_element(gpu.gaps, {}, &IdleGap::length);
  return longest->during;
}

TEST(Gaps, AreNamedByWhatTheProgramDid) {
  EXPECT_EQ(during(""), "ProfilerStep#1");
  EXPECT_EQ(during(event("cpu_op", "aten::nonzero", "1/1", 150, 700)), "aten::nonzero");
  EXPECT_EQ(during(event("cpu_op", "aten::nonzero", "1/1", 150, 700) + event("cuda_runtime", "cudaFree", "1/1", 200, 600)), "cudaFree")
      << "the innermost";
  EXPECT_EQ(during(event("cpu_op", "aten::nonzero", "1/1", 150, 200)), "ProfilerStep#1") << "only a fourth of the gap";
  EXPECT_EQ(during(event("cpu_op", "aten::nonzero", "1/1", 150, 740) + event("cpu_op", "worker", "1/2", 150, 700)), "aten::nonzero")
      << "of the thread that launched what came next";
}

TEST(Gaps, OfFirstUseAreNoWorkOfTheProgram) {
  const auto causes = [](const std::string& in_the_gap) {
    return gpu_of(event("user_annotation", "ProfilerStep#1", "1/1", 0, 10000) + gap_work(1, 0, 10, 90) + in_the_gap +
                  gap_work(2, 8995, 9000, 100))
        .steps.at(0)
        .idle_because(IdleCause::first_use);
  };
  EXPECT_EQ(causes(event("cuda_driver", "cuModuleLoadData", "1/1", 1000, 7000)), 7'000'000);
  EXPECT_EQ(causes(event("user_annotation", "backend_compile (dynamo_timed)", "1/1", 1000, 5000)), 5'000'000);
  EXPECT_EQ(causes(event("cuda_runtime", "cudaStreamBeginCapture", "1/1", 1000, 5) +
                   event("cuda_runtime", "cudaStreamEndCapture", "1/1", 3995, 5)),
            3'000'000);
  EXPECT_EQ(causes(event("cuda_runtime", "cudaLaunchKernel", "1/1", 1000, 4000)), 4'000'000) << "it loads the code of its kernel";
  EXPECT_EQ(causes(event("cuda_runtime", "cudaLaunchKernel", "1/1", 1000, 200)), 0) << "a slow launch is one all the same";
  EXPECT_EQ(causes(event("cpu_op", "aten::sort", "1/1", 1000, 7000)), 0);
}

}  // namespace
}  // namespace frx::derive::trace
