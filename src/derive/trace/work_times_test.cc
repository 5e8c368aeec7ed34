#include "derive/trace/work_times.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

std::string launched(int correlation, std::string_view kernel, double at, double duration) {
  const std::string id = fmt::format(R"("correlation": {}, "device": 0, "stream": 7)", correlation);
  return event("cuda_runtime", "cudaLaunchKernel", "1/1", at, 1, id) + event("kernel", kernel, "0/7", at + 10, duration, id);
}

WorkTimes work_times_of(const std::string& events) {
  const model::Timeline timeline = trace_of(trace_with(events));
  const Attribution attribution = attribute(timeline);
  return work_times(timeline, attribution, join_backward(timeline, attribution), -1);
}

TEST(WorkTimes, OfOperatorsAddUpToAllOfIt) {
  const WorkTimes times =
      work_times_of(event("cpu_op", "aten::mm", "1/1", 10, 5, R"("Input Dims": [[8,   8], []])") + launched(1, "gemm", 12, 30) +
                    event("cpu_op", "aten::mm", "1/1", 50, 5, R"("Input Dims": [[4, 4], []])") + launched(2, "gemm", 52, 10) +
                    launched(3, "gemm", 80, 7));
  ASSERT_EQ(times.operator_times.size(), 3u);
  EXPECT_EQ(times.operator_times[0].name, "aten::mm");
  EXPECT_EQ(times.operator_times[0].shapes, "[[8, 8], []]");
  EXPECT_EQ(times.operator_times[0].gpu_ns, 30'000);
  EXPECT_EQ(times.operator_times[1].shapes, "[[4, 4], []]");
  EXPECT_EQ(times.operator_times[2].name, work_without_operator);
  EXPECT_EQ(times.operator_times[2].gpu_ns, 7'000);
  EXPECT_FALSE(times.operator_times_cut);
}

TEST(WorkTimes, OfKernelsAreByTime) {
  const WorkTimes times = work_times_of(launched(1, "short", 10, 5) + launched(2, "long", 30, 20) + launched(3, "short", 60, 6));
  ASSERT_EQ(times.top_kernels.size(), 2u);
  EXPECT_EQ(times.kernel_names, 2u);
  EXPECT_EQ(times.top_kernels[0].name, "long");
  EXPECT_EQ(times.top_kernels[1].gpu_ns, 11'000);
  EXPECT_EQ(times.top_kernels[1].count, 2u);
  EXPECT_EQ(times.top_kernels[1].shortest_ns, 5'000);
  EXPECT_EQ(times.top_kernels[1].longest_ns, 6'000);
  EXPECT_TRUE(times.top_operators.empty());
}

}  // namespace
}  // namespace frx::derive::trace
