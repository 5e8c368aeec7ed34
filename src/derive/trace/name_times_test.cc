#include "derive/trace/name_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingest/nsys/testing.h"

namespace frx::derive::trace {
namespace {

using ingest::nsys::testing::ExportBuilder;
using model::EventKind;
using ::testing::SizeIs;

TEST(NameTimes, OfEachNameCountSumAndExtremes) {
  const model::Timeline timeline = ExportBuilder()
                                       .kernel(0, 10, 1, "slow")
                                       .kernel(20, 50, 2, "slow")
                                       .kernel(60, 65, 3, "fast")
                                       .call(0, 100, 4, "cudaMalloc")
                                       .read()
                                       .value();
  const auto rows = times_by_name(timeline, {EventKind::kernel});
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].name, "slow");
  EXPECT_EQ(rows[0].calls, 2u);
  EXPECT_EQ(rows[0].total_ns, 40);
  EXPECT_EQ(rows[0].average_ns(), 20);
  EXPECT_EQ(rows[0].shortest_ns, 10);
  EXPECT_EQ(rows[0].longest_ns, 30);
  EXPECT_EQ(rows[0].bytes, std::nullopt);
  EXPECT_EQ(rows[1].name, "fast");
}

TEST(NameTimes, KernelsOfOneTimeAreSortedByName) {
  const model::Timeline timeline = ExportBuilder().kernel(0, 10, 1, "b").kernel(20, 30, 2, "a").read().value();
  const auto rows = times_by_name(timeline, {EventKind::kernel});
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].name, "a");
}

TEST(NameTimes, OfNoEventsThereIsNoRow) {
  const model::Timeline timeline = ExportBuilder().call(0, 10, 1, "cudaMalloc").read().value();
  EXPECT_THAT(times_by_name(timeline, {EventKind::kernel}), SizeIs(0));
  EXPECT_EQ(model::NameTimes().average_ns(), std::nullopt);
}

}  // namespace
}  // namespace frx::derive::trace
