#include "derive/trace/attribution.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

std::string op_of(const model::Timeline& timeline, const Attribution& attribution, std::size_t work) {
  const std::uint32_t op = attribution.work[work].op;
  return op == none ? "none" : std::string(timeline.name_of(op));
}

TEST(Attribution, FollowsTheCallToTheInnermostOperatorOfItsThread) {
  const auto timeline = trace_of(trace_with(event("kernel", "k", "0/7", 500, 10, R"("correlation": 1)") +
                                            event("cpu_op", "aten::add", "1/2", 15, 20) + event("cpu_op", "aten::linear", "1/1", 0, 100) +
                                            event("cpu_op", "aten::addmm", "1/1", 10, 50) + event("cpu_op", "aten::t", "1/1", 12, 3) +
                                            event("cuda_runtime", "cudaLaunchKernel", "1/1", 20, 5, R"("correlation": 1)")));
  const Attribution attribution = attribute(timeline);
  EXPECT_EQ(attribution.kernels, 1u);
  EXPECT_EQ(op_of(timeline, attribution, 0), "aten::addmm");
}

// A graph has one launch for all its kernels.
TEST(Attribution, GivesAllKernelsOfAGraphToItsLaunch) {
  const auto timeline = trace_of(
      trace_with(event("cpu_op", "graph", "1/1", 0, 100) + event("cuda_runtime", "cudaGraphLaunch", "1/1", 20, 5, R"("correlation": 9)") +
                 event("kernel", "a", "0/7", 50, 10, R"("correlation": 9)") + event("kernel", "b", "0/7", 60, 10, R"("correlation": 9)")));
  EXPECT_EQ(attribute(timeline).kernels_with_op, 2u);
}

// In traces of 2022 the External id of a kernel names some other operator.
TEST(Attribution, DoesNotBelieveExternalIdsThatDisagree) {
  std::string events = event("cpu_op", "wrong", "1/9", 0, 1, R"("External id": 77)");
  for (int i = 1; i <= 30; ++i) {
    const std::string id = fmt::format(R"("correlation": {}, "External id": 77)", i);
    events += event("cpu_op", "right", "1/1", 100 * i, 50) + event("cuda_runtime", "cudaLaunchKernel", "1/1", 100 * i + 5, 5, id) +
              event("kernel", "k", "0/7", 100 * i + 20, 5, id);
  }
  events += event("kernel", "unlaunched", "0/7", 1, 5, R"("External id": 77)");
  const auto timeline = trace_of(trace_with(events));
  const Attribution attribution = attribute(timeline);
  EXPECT_EQ(op_of(timeline, attribution, 0), "none");
  EXPECT_EQ(attribution.kernels_with_op, 30u);
}

TEST(Attribution, UsesExternalIdsForWorkWithoutALaunchWhereTheyAgree) {
  std::string events;
  for (int i = 1; i <= 30; ++i) {
    const std::string id = fmt::format(R"("correlation": {0}, "External id": {0})", i);
    events += event("cpu_op", "op", "1/1", 100 * i, 50, fmt::format(R"("External id": {})", i)) +
              event("cuda_runtime", "cudaLaunchKernel", "1/1", 100 * i + 5, 5, id) + event("kernel", "k", "0/7", 100 * i + 20, 5, id);
  }
  events += event("kernel", "unlaunched", "0/7", 1, 5, R"("External id": 3)");
  const Attribution attribution = attribute(trace_of(trace_with(events)));
  EXPECT_EQ(attribution.kernels_with_op, 31u);
  EXPECT_EQ(attribution.by_external_id, 1u);
}

}  // namespace
}  // namespace frx::derive::trace
