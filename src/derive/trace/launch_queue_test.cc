#include "derive/trace/launch_queue.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

// A launch that returns at `launched` and begins at `begun`.
std::string work(int correlation, double launched, double begun, double length = 1) {
  const std::string id = fmt::format(R"("correlation": {}, "device": 0, "stream": 7)", correlation);
  return event("cuda_runtime", "cudaLaunchKernel", "1/1", launched - 1, 1, id) + event("kernel", "k", "0/7", begun, length, id);
}

LaunchQueue queue_of(const std::string& events) {
  const model::Timeline timeline = trace_of(trace_with(events));
  const std::vector<LaunchQueue> queues = launch_queues(timeline, attribute(timeline), -1);
  return queues.empty() ? LaunchQueue() : queues.front();
}

TEST(LaunchQueue, TheMedianIsOfTheTime) {
  // One waits from 10 to 100, a second from 40 to 120: one for 30, two for 60, one for 20.
  const LaunchQueue queue = queue_of(work(1, 10, 100) + work(2, 40, 120));
  EXPECT_EQ(queue.span_ns, 110'000);
  EXPECT_EQ(queue.median, 2u);
  EXPECT_EQ(queue.longest, 2u);
  EXPECT_EQ(queue.empty_ns, 0);
  EXPECT_EQ(queue.launches, 2u);
}

TEST(LaunchQueue, IsEmptyWhereTheGpuWaitsForEachLaunch) {
  const LaunchQueue queue = queue_of(work(1, 10, 12) + work(2, 110, 112) + work(3, 210, 212));
  EXPECT_EQ(queue.median, 0u);
  EXPECT_EQ(queue.longest, 1u);
  EXPECT_EQ(queue.span_ns, 202'000);
  EXPECT_EQ(queue.empty_ns, 202'000 - 3 * 2'000);
}

TEST(LaunchQueue, WorkThatBeginsBeforeItsCallReturnsNeverWaited) {
  const std::string id = R"("correlation": 1, "device": 0, "stream": 7)";
  const LaunchQueue queue =
      queue_of(event("cuda_runtime", "cudaLaunchKernel", "1/1", 0, 50, id) + event("kernel", "k", "0/7", 20, 5, id) + work(2, 100, 101));
  EXPECT_EQ(queue.longest, 1u);
  EXPECT_EQ(queue.empty_ns, 80'000);
}

TEST(LaunchQueue, ACopyBetweenTwoGpusIsWorkOfBoth) {
  const auto on = [](int device, double begun) {
    return event("gpu_memcpy", "Memcpy PtoP (Device -> Device)", fmt::format("{}/7", device), begun, 5,
                 fmt::format(R"("correlation": 1, "device": {}, "stream": 7)", device));
  };
  const model::Timeline timeline =
      trace_of(trace_with(event("cuda_runtime", "cudaMemcpyPeerAsync", "1/1", 0, 10, R"("correlation": 1)") + on(0, 20) + on(1, 20)));
  const std::vector<LaunchQueue> queues = launch_queues(timeline, attribute(timeline), -1);
  ASSERT_EQ(queues.size(), 2u);
  EXPECT_EQ(queues[0].launches, 1u);
  EXPECT_EQ(queues[1].launches, 1u);
}

TEST(LaunchQueue, AGraphIsOneLaunch) {
  const std::string id = R"("correlation": 1, "device": 0, "stream": 7)";
  const LaunchQueue queue = queue_of(event("cuda_runtime", "cudaGraphLaunch", "1/1", 0, 10, id) + event("kernel", "k", "0/7", 20, 5, id) +
                                     event("kernel", "k", "0/7", 30, 5, id));
  EXPECT_EQ(queue.launches, 1u);
}

}  // namespace
}  // namespace frx::derive::trace
