#include "derive/trace/backward.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

std::string numbered(std::string_view name, std::string_view track, double start, double duration, int sequence, int forward_thread) {
  return event("cpu_op", name, track, start, duration,
               fmt::format(R"("Sequence number": {}, "Fwd thread id": {})", sequence, forward_thread));
}

std::string kernel(std::string_view track, double launched, int correlation) {
  return event("cuda_runtime", "cudaLaunchKernel", track, launched, 1, fmt::format(R"("correlation": {})", correlation)) +
         event("kernel", "k", "0/7", launched + 5, 2, fmt::format(R"("correlation": {}, "device": 0)", correlation));
}

// For each kernel in the order of time: the forward operator, "" without one.
std::vector<std::string> forward_of(const std::string& events) {
  const model::Timeline timeline = trace_of(trace_with(events));
  const Attribution attribution = attribute(timeline);
  const BackwardWork joined = join_backward(timeline, attribution);
  std::vector<std::string> names;
  for (const std::uint32_t row : joined.forward) names.emplace_back(row == none ? "" : timeline.name_of(row));
  return names;
}

using Names = std::vector<std::string>;

// aten::linear and its transpose have the same number: the transpose made node 10, as the last to begin.
const std::string forward = numbered("aten::linear", "1/1", 100, 50, 10, 0) + numbered("aten::t", "1/1", 101, 5, 10, 0) +
                            numbered("aten::addmm", "1/1", 110, 30, 11, 0) + kernel("1/1", 115, 1);
const std::string backward = numbered("autograd::engine::evaluate_function: AddmmBackward0", "1/2", 300, 40, 11, 1) +
                             numbered("AddmmBackward0", "1/2", 301, 30, 11, 1) + event("cpu_op", "aten::mm", "1/2", 302, 20) +
                             kernel("1/2", 310, 2) + numbered("TBackward0", "1/2", 350, 20, 10, 1) + kernel("1/2", 355, 3);

TEST(Backward, BelongsToTheOperatorThatMadeTheNode) { EXPECT_EQ(forward_of(forward + backward), (Names{"", "aten::addmm", "aten::t"})); }

// Each thread numbers its own nodes; only some numbers are on one of them alone.
TEST(Backward, TellsThreadsApartThatUseTheSameNumbers) {
  const std::string other = numbered("aten::other", "1/9", 100, 5, 11, 0);
  EXPECT_EQ(forward_of(forward + other + backward), (Names{"", "aten::addmm", "aten::t"}));
}

TEST(Backward, OfAThreadThatCannotBeToldIsUnknown) {
  const std::string other = numbered("aten::other", "1/9", 100, 5, 11, 0) + numbered("aten::other", "1/9", 100, 5, 10, 0);
  EXPECT_EQ(forward_of(forward + other + backward), (Names{"", "", ""}));
}

TEST(Backward, DoesNotReachIntoAnotherProcess) {
  const std::string other = numbered("aten::other", "2/1", 100, 5, 11, 0) + numbered("aten::other", "2/1", 100, 5, 10, 0);
  EXPECT_EQ(forward_of(forward + other + backward), (Names{"", "aten::addmm", "aten::t"}));
}

// An evaluation after the backward pass continues the numbers.
TEST(Backward, IsMadeBeforeItRuns) {
  EXPECT_EQ(forward_of(forward + backward + numbered("aten::relu", "1/1", 900, 5, 11, 0)), (Names{"", "aten::addmm", "aten::t"}));
}

TEST(Backward, WithoutNumbersNothingIsJoined) { EXPECT_EQ(forward_of(kernel("1/1", 100, 1)), Names{""}); }

}  // namespace
}  // namespace frx::derive::trace
