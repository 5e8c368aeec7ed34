#include "report/layout/trial_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::report {
namespace {

void add_event(model::Timeline& timeline, model::EventKind kind, std::string_view name, std::int64_t start, std::int64_t duration) {
  timeline.start.push_back(start);
  timeline.duration.push_back(duration);
  timeline.name.push_back(timeline.names.add(name));
  timeline.track.push_back(0);
  timeline.correlation.push_back(model::Timeline::no_id);
  timeline.external.push_back(model::Timeline::no_id);
  timeline.kind.push_back(kind);
}

void add_collective(model::Timeline& timeline, std::string_view name, std::uint64_t elements) {
  model::CollectiveArguments one;
  one.event = static_cast<std::uint32_t>(timeline.size() - 1);
  one.name = timeline.names.add(name);
  one.type = timeline.names.add("Float");
  one.group = timeline.names.add("0");
  one.in_elements = one.out_elements = elements;
  timeline.collectives.push_back(one);
}

TEST(TrialTrace, CountsKernelsAWindowAndOrdersCollectivesByTime) {
  using enum model::EventKind;
  model::Timeline timeline;
  add_event(timeline, cpu_op, "aten::conv2d", 0, 10);
  add_event(timeline, cpu_op, "mylib::twice", 10, 10);
  add_event(timeline, cpu_op, "Torch-Compiled Region: 0/0", 10, 10);
  add_event(timeline, kernel, "void nchwToNhwcKernel<float>(int)", 20, 1000);
  add_event(timeline, kernel, "nchwToNhwcKernel<float>", 30, 3000);
  add_event(timeline, kernel, "ncclDevKernel_AllGather", 90, 2000);
  add_collective(timeline, "allgather", 8);
  add_event(timeline, kernel, "ncclDevKernel_AllReduce", 50, 2000);
  add_collective(timeline, "allreduce", 4);
  const TrialTrace trace = trial_trace_of(timeline, 2);
  EXPECT_DOUBLE_EQ(trace.kernels.at("nchwToNhwcKernel<float>"), 1);
  EXPECT_DOUBLE_EQ(trace.kernel_ns, 4000);
  EXPECT_THAT(trace.namespaces, ::testing::ElementsAre("aten", "mylib"));
  EXPECT_TRUE(trace.has_collectives);
  EXPECT_THAT(trace.collectives, ::testing::ElementsAre("allreduce Float 4 -> 4 of group 0", "allgather Float 8 -> 8 of group 0"));
}

}  // namespace
}  // namespace frx::report
