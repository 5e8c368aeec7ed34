#include "derive/trace/self_times.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

constexpr std::int64_t us = 1000;

std::string op(std::string_view name, double begin, double end, std::string_view thread = "1/1") {
  return event("cpu_op", name, thread, begin, end - begin);
}

CpuTimes times_of(const std::string& events) { return self_times(trace_of(trace_with(events)), -1); }

SelfTime with_name(const CpuTimes& times, std::string_view name) {
  const auto at = std::ranges::find(times.operators, name, &SelfTime::name);
  return at == times.operators.end() ? SelfTime() : *at;
}

TEST(SelfTimes, AreWithoutTheOperatorsCalled) {
  const CpuTimes times = times_of(op("linear", 0, 100) + op("t", 10, 20) + op("addmm", 30, 90) + op("relu", 100, 130));
  EXPECT_EQ(with_name(times, "linear").self_ns, 30 * us);
  EXPECT_EQ(with_name(times, "linear").total_ns, 100 * us);
  EXPECT_EQ(with_name(times, "addmm").self_ns, 60 * us);
  EXPECT_EQ(times.operators.front().name, "addmm");
  EXPECT_EQ(times.operators_ns, 130 * us);
}

TEST(SelfTimes, ThreadsAreToldApart) {
  const CpuTimes times = times_of(op("mm", 0, 100) + op("mm", 50, 80, "1/2") + op("add", 60, 70, "1/2"));
  EXPECT_EQ(with_name(times, "mm").self_ns, 120 * us);  // the second is no part of the first
  EXPECT_EQ(with_name(times, "mm").threads, 2u);
  ASSERT_EQ(times.threads.size(), 2u);
  EXPECT_EQ(times.threads[0].operators_ns, 100 * us);
  EXPECT_EQ(times.threads[1].operators_ns, 30 * us);
  EXPECT_EQ(times.window_ns, 100 * us);
}

TEST(SelfTimes, ACallWithinOneOfTheSameOperatorCountsOnceInTheTotal) {
  const CpuTimes times = times_of(op("to", 0, 100) + op("copy", 10, 90) + op("to", 20, 60) + op("to", 200, 210));
  EXPECT_EQ(with_name(times, "to").total_ns, 110 * us);
  EXPECT_EQ(with_name(times, "to").self_ns, 20 * us + 40 * us + 10 * us);
  EXPECT_EQ(with_name(times, "to").calls, 3u);
}

TEST(SelfTimes, AnOperatorThatOutlivesItsCallerTakesNothingTwice) {
  const CpuTimes times = times_of(op("outer", 0, 100) + op("inner", 50, 120) + op("next", 110, 130));
  EXPECT_EQ(with_name(times, "outer").self_ns, 50 * us);
  EXPECT_EQ(with_name(times, "inner").self_ns, 60 * us);
  EXPECT_EQ(with_name(times, "next").self_ns, 20 * us);
  EXPECT_EQ(times.operators_ns, 130 * us);
}

TEST(SelfTimes, OfAnyOrderOfTheFileAreTheSame) {
  const CpuTimes a = times_of(op("a", 0, 100) + op("b", 0, 100) + op("c", 5, 5) + op("d", 90, 95));
  const CpuTimes b = times_of(op("d", 90, 95) + op("a", 0, 100) + op("c", 5, 5) + op("b", 0, 100));
  EXPECT_EQ(a.operators_ns, 100 * us);
  EXPECT_EQ(b.operators_ns, 100 * us);
  EXPECT_EQ(with_name(a, "d").self_ns, with_name(b, "d").self_ns);
  EXPECT_EQ(with_name(a, "c").self_ns, 0);
}

TEST(SelfTimes, AreOnlyForRecordingsOfTheCpu) {
  const auto is_of_cpu = [](const std::string& events) { return is_recording_of_cpu(trace_of(trace_with(events))); };
  EXPECT_TRUE(is_of_cpu(op("mm", 0, 100) + event("python_function", "main", "1/1", 0, 200)));
  EXPECT_FALSE(is_of_cpu(event("python_function", "main", "1/1", 0, 200)));
  EXPECT_FALSE(is_recording_of_cpu(trace_of(R"({"traceEvents": [)" + op("mm", 0, 100) + R"({"ph": "X", "na)")));  // cut
  EXPECT_FALSE(is_of_cpu(op("mm", 0, 100) + event("cuda_runtime", "cudaLaunchKernel", "1/1", 5, 5)));
  EXPECT_FALSE(is_of_cpu(op("mm", 0, 100) + event("gpu_memcpy", "Memcpy HtoD", "0/7", 5, 5)));
  EXPECT_FALSE(is_of_cpu(op("mm", 0, 100) + event("mtia_runtime", "launch", "1/1", 5, 5)));
}

TEST(SelfTimes, SayWhatNamesAGpu) {
  EXPECT_EQ(times_of(op("aten::mkldnn_convolution", 0, 100)).gpu_evidence, "");
  EXPECT_EQ(times_of(op("aten::cudnn_convolution", 0, 100)).gpu_evidence, "aten::cudnn_convolution");
  EXPECT_EQ(times_of(op("aten::mm", 0, 100) + event("user_annotation", "nccl:all_reduce", "1/1", 0, 5)).gpu_evidence, "nccl:all_reduce");
  const std::string header = R"({"deviceProperties": [{"id": 0, "name": "NVIDIA A100"}], "traceEvents": [)";
  EXPECT_EQ(self_times(trace_of(header + op("aten::mm", 0, 100) + "]}"), -1).gpu_evidence, "NVIDIA A100");
}

}  // namespace
}  // namespace frx::derive::trace
