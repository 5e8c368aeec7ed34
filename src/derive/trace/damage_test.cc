#include "derive/trace/damage.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

// A launch at a time and what it launched; the second argument is their correlation.
std::string pair_of(int id, double launch, double begin) {
  const std::string arguments = fmt::format(R"("correlation": {}, "device": 0, "stream": 7)", id);
  return event("cuda_runtime", "cudaLaunchKernel", "1/1", launch, 5, arguments) + event("kernel", "k", "0/7", begin, 20, arguments);
}

Damage damage_in(const std::string& events) {
  const model::Timeline timeline = trace_of(trace_with(events));
  return damage_of(timeline, attribute(timeline));
}

TEST(Damage, AWholeRecordingHasNone) {
  const Damage damage = damage_in(pair_of(1, 0, 10) + pair_of(2, 50, 60) + pair_of(3, 70, 80));
  EXPECT_EQ(damage.apart_ns, 0);
  EXPECT_EQ(damage.early_work, 0u);
  EXPECT_EQ(damage.doubled_work, 0u);
  EXPECT_EQ(damage.launches, 3u);
  EXPECT_EQ(damage.same_launches, 0u);
}

TEST(Damage, EventsMayBeDaysApart) {
  const double day_us = 86'400e6;
  EXPECT_EQ(damage_in(pair_of(1, 0, 10) + pair_of(2, day_us * 20, day_us * 20 + 10)).apart_ns / 86'400'000'000'000, 20);
  EXPECT_EQ(damage_in(pair_of(1, 0, 10) + pair_of(2, day_us / 2, day_us / 2 + 10)).apart_ns, 0) << "a long recording";
  EXPECT_EQ(damage_in(pair_of(1, 0, 10) + event("Trace", "PyTorch Profiler (0)", "1/1", day_us * 20, 5)).apart_ns, 0)
      << "what the profiler says of itself";
}

TEST(Damage, KernelsMayBeginBeforeTheirLaunches) {
  const Damage damage = damage_in(pair_of(1, 100, 40) + pair_of(2, 200, 199) + pair_of(3, 300, 305));
  EXPECT_EQ(damage.early_work, 1u) << "a microsecond is within the error of the clocks";
  EXPECT_EQ(damage.earliest_ns, 60'000);
}

TEST(Damage, EventsMayComeTwice) {
  const std::string one = pair_of(1, 0, 10);
  EXPECT_EQ(damage_in(one + one + pair_of(2, 50, 60)).doubled_work, 1u);
  const std::string at_once = event("kernel", "k", "0/7", 10, 20, R"("device": 0, "stream": 7)") +
                              event("kernel", "k", "0/8", 10, 20, R"("device": 0, "stream": 8)");
  EXPECT_EQ(damage_in(at_once).doubled_work, 0u) << "two streams at one time";
}

TEST(Damage, LaunchesMayShareTheirCorrelation) {
  const Damage damage = damage_in(pair_of(7, 0, 10) + pair_of(7, 50, 60) + pair_of(7, 100, 110) + pair_of(8, 150, 160));
  EXPECT_EQ(damage.launches, 4u);
  EXPECT_EQ(damage.same_launches, 3u);
  // The kernels of a graph have the correlation of its launch.
  const std::string graph = R"("correlation": 5, "device": 0, "stream": 7)";
  EXPECT_EQ(damage_in(event("cuda_runtime", "cudaGraphLaunch", "1/1", 0, 5, graph) + event("kernel", "a", "0/7", 10, 5, graph) +
                      event("kernel", "b", "0/7", 20, 5, graph))
                .same_launches,
            0u);
}

}  // namespace
}  // namespace frx::derive::trace
