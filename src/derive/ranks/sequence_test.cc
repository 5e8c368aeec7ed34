#include "derive/ranks/sequence.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::ranks {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

struct Found {
  Interner words;
  Sequence sequence;
};

Found found_in(const std::string& events, std::int64_t rank = -1) {
  const model::Timeline timeline = trace_of(trace_with(events));
  const std::vector<trace::Steps> steps = trace::find_steps(timeline);
  Found found;
  found.sequence = sequence_of(timeline, trace::attribute(timeline), steps.at(0), rank, found.words);
  return found;
}

std::string step(int number, double begin) { return event("user_annotation", fmt::format("ProfilerStep#{}", number), "1/1", begin, 1000); }

std::string launched(int correlation, double launch, std::string_view kernel, std::string_view track, double begin,
                     const std::string& arguments = "") {
  const std::string id = fmt::format(R"("correlation": {}{}{})", correlation, arguments.empty() ? "" : ", ", arguments);
  return event("cuda_runtime", "cudaLaunchKernel", "1/1", launch, 5, id) + event("kernel", kernel, track, begin, 40, id);
}

const std::string described =
    R"("Collective name": "allreduce", "dtype": "Float", "In msg nelems": 8, "Out msg nelems": 8, "Process Group Name": "0", "Process Group Ranks": "[0, 1]")";

TEST(SequenceOfRank, IsWhatTheWriterSaysOfEachKernel) {
  const Found found =
      found_in(step(1, 0) + launched(1, 10, "ncclDevKernel_Generic(int)", "0/17", 100, described) + launched(2, 20, "sgemm", "0/7", 100));
  ASSERT_EQ(found.sequence.calls.size(), 1u);
  const Collective& call = found.sequence.calls[0];
  EXPECT_EQ(found.words[call.what], "allreduce of 8 Float");
  EXPECT_EQ(found.words[call.group], "group 0 [0, 1]");
  EXPECT_EQ(call.duration, 40'000);
  EXPECT_EQ(call.end, 140'000);
  EXPECT_TRUE(found.sequence.described);
}

TEST(SequenceOfRank, IsTheNameOfTheKernelWhereNothingElseIsSaid) {
  const Found found = found_in(step(1, 0) + launched(1, 10, "ncclKernel_AllReduce_RING(int, long)", "0/17", 100));
  ASSERT_EQ(found.sequence.calls.size(), 1u);
  EXPECT_EQ(found.words[found.sequence.calls[0].what], "ncclKernel_AllReduce_RING");
  EXPECT_EQ(found.words[found.sequence.calls[0].group], "the stream of collectives");
  EXPECT_FALSE(found.sequence.described);
}

TEST(SequenceOfRank, TakesEachStreamForACommunicatorOfItsOwn) {
  const Found found =
      found_in(step(1, 0) + launched(1, 10, "ncclKernel_AllReduce", "0/17", 100) + launched(2, 20, "ncclKernel_AllGather", "0/20", 120));
  ASSERT_EQ(found.sequence.calls.size(), 2u);
  EXPECT_EQ(found.words[found.sequence.calls[0].group], "stream 17");
  EXPECT_EQ(found.words[found.sequence.calls[1].group], "stream 20");
}

TEST(SequenceOfRank, BelongsToTheStepThatLaunchedIt) {
  const Found found =
      found_in(step(1, 0) + step(2, 1000) + launched(1, 900, "ncclKernel_AllReduce", "0/17", 1500) +
               launched(2, 1100, "ncclKernel_AllReduce", "0/17", 1600) + launched(3, 5000, "ncclKernel_AllReduce", "0/17", 5100));
  ASSERT_EQ(found.sequence.calls.size(), 2u);
  EXPECT_EQ(found.sequence.calls[0].step, 1);
  EXPECT_EQ(found.sequence.calls[1].step, 2);
  EXPECT_EQ(found.sequence.outside_steps, 1u);
}

TEST(SequenceOfRank, SendsAndReceivesAreNoCollectives) {
  const Found found = found_in(
      step(1, 0) + launched(1, 10, "ncclDevKernel_SendRecv", "0/17", 100, R"("Collective name": "send", "Process Group Name": "3")"));
  EXPECT_TRUE(found.sequence.calls.empty());
  EXPECT_EQ(found.sequence.point_to_point, 1u);
}

TEST(SequenceOfRank, IsOfOneRankInAFileMergedFromSeveral) {
  const std::string events = step(1, 0) + launched(1, 10, "ncclKernel_AllReduce", "0/17", 100, R"("rank": 0)") +
                             launched(2, 20, "ncclKernel_AllReduce", "100000001/17", 300, R"("rank": 1)");
  const Found found = found_in(events, 1);
  ASSERT_EQ(found.sequence.calls.size(), 1u);
  EXPECT_EQ(found.sequence.calls[0].end, 340'000);
}

}  // namespace
}  // namespace frx::derive::ranks
