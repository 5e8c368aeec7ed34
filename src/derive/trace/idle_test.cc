#include "derive/trace/idle.h"

#include <gtest/gtest.h>

#include <random>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;
using model::idle_cause_count;
using model::IdleCause;

// Kernels with gaps between them, some without a launch, among calls that wait and allocate and a loader.
std::string random_events(std::mt19937& random, std::size_t kernels) {
  const auto below = [&](int end) { return static_cast<double>(std::uniform_int_distribution(0, end - 1)(random)); };
  std::string events;
  double now = 0;
  for (std::size_t i = 1; i <= kernels; ++i) {
    const std::string id = fmt::format(R"("correlation": {}, "device": 0, "stream": 7)", i);
    if (below(4) > 0) events += event("cuda_runtime", "cudaLaunchKernel", "1/1", now + below(60) - 20, 5, id);
    if (below(5) == 0) events += event("cuda_runtime", "cudaStreamSynchronize", "1/1", now + below(30), 1 + below(30));
    if (below(9) == 0) events += event("cuda_runtime", "cudaMalloc", "1/1", now + below(30), 1 + below(20));
    if (below(9) == 0) events += event("user_annotation", "load_batch", "1/1", now + below(30), 1 + below(80));
    now += below(60);
    const double duration = below(40);
    events += event("kernel", "k", "0/7", now, duration, id);
    now += duration;
  }
  return events;
}

std::array<std::int64_t, idle_cause_count> totals(const std::array<Intervals, idle_cause_count>& causes) {
  std::array<std::int64_t, idle_cause_count> sums{};
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = total(causes[i]);
  return sums;
}

TEST(Idle, IsAttributedAlikeInOneGoAndInPortions) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const model::Timeline timeline = trace_of(trace_with(random_events(random, 60)));
    const Attribution attribution = attribute(timeline);
    const auto all_ranges = host_ranges(timeline);
    std::vector<std::uint32_t> order;
    std::vector<Interval> busy;
    for (std::uint32_t i = 0; i < attribution.work.size(); ++i) {
      order.push_back(i);
      busy.push_back({timeline.start[attribution.work[i].event], timeline.end(attribution.work[i].event)});
    }
    const Intervals whole{{-1000, 10'000'000}};
    const Intervals idle = without(whole, united(busy));
    const auto at_once = totals(IdleAttribution(timeline, attribution.work, order, all_ranges.at("")).causes_of(idle));
    IdleAttribution in_portions(timeline, attribution.work, order, all_ranges.at(""));
    std::array<std::int64_t, idle_cause_count> sums{};
    for (std::span<const Interval> rest = idle; !rest.empty();) {
      const auto some = rest.first(std::min<std::size_t>(rest.size(), 1 + random() % 3));
      const auto part = totals(in_portions.causes_of(some));
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
      rest = rest.subspan(some.size());
    }
    EXPECT_EQ(sums, at_once);
    std::int64_t attributed = 0;
    for (const std::int64_t sum : sums) attributed += sum;
    EXPECT_EQ(attributed, total(idle));
    for (const IdleCause cause : {IdleCause::input, IdleCause::sync, IdleCause::allocator, IdleCause::host, IdleCause::unknown})
      EXPECT_GT(sums[static_cast<std::size_t>(cause)], 0) << name_of(cause) << " does not come up";
  }
}

}  // namespace
}  // namespace frx::derive::trace
