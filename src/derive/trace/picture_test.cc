#include "derive/trace/picture.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;
using model::TimelineLane;
using model::TimelinePicture;

// An event as a browser reads it out of a tile.
struct Drawn {
  std::int64_t begin = 0, duration = 0;
  std::string name, kind;
  std::size_t depth = 0;
  bool operator==(const Drawn&) const = default;
};

std::uint64_t number_at(const std::string& bytes, std::size_t& at) {
  std::uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(at++));
    number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

std::vector<Drawn> events_of(const TimelinePicture& picture, const TimelineLane& lane) {
  std::vector<Drawn> events;
  for (std::size_t tile = 0; tile < lane.begin.size(); ++tile) {
    std::size_t at = lane.at[tile];
    std::int64_t begin = lane.begin[tile];
    for (std::uint32_t i = 0; i < lane.count[tile]; ++i) {
      Drawn one;
      begin += static_cast<std::int64_t>(number_at(picture.tiles, at));
      one.begin = begin;
      one.duration = static_cast<std::int64_t>(number_at(picture.tiles, at));
      one.name = picture.names.at(number_at(picture.tiles, at));
      const std::uint64_t last = number_at(picture.tiles, at);
      one.depth = last / picture.kinds.size();
      one.kind = picture.kinds[last % picture.kinds.size()];
      EXPECT_LE(one.begin + one.duration, lane.reach[tile]);
      events.push_back(std::move(one));
    }
  }
  return events;
}

TimelinePicture drawn(const std::string& events, std::size_t most = picture_events) {
  const model::Timeline timeline = trace_of(trace_with(events));
  return picture_of(timeline, find_steps(timeline), most);
}

TEST(Picture, LanesOfGpusComeFirstAndEventsAreNested) {
  const TimelinePicture picture = drawn(event("cpu_op", "aten::linear", "1/1", 100, 50) + event("cpu_op", "aten::addmm", "1/1", 110, 30) +
                                        event("kernel", "gemm", "0/7", 160, 20, R"("device": 0, "stream": 7)") +
                                        event("kernel", "ncclDevKernel_AllReduce", "0/7", 190, 10, R"("device": 0, "stream": 7)"));
  ASSERT_EQ(picture.lanes.size(), 2u);
  EXPECT_EQ(picture.span_ns, 100'000);
  EXPECT_EQ(picture.lanes[0].group, "GPU 0");
  EXPECT_EQ(picture.lanes[0].name, "stream 7");
  EXPECT_EQ(events_of(picture, picture.lanes[0]), (std::vector<Drawn>{{60'000, 20'000, "gemm", "computing", 0},
                                                                      {90'000, 10'000, "ncclDevKernel_AllReduce", "communication", 0}}));
  EXPECT_EQ(picture.lanes[1].depth, 2u);
  EXPECT_EQ(events_of(picture, picture.lanes[1]),
            (std::vector<Drawn>{{0, 50'000, "aten::linear", "operator", 0}, {10'000, 30'000, "aten::addmm", "operator", 1}}));
}

TEST(Picture, OverviewTellsHowFullPartsAreAndOfWhat) {
  // 1024 us in 1024 parts: a kernel in the first half, a copy in a quarter of the last part.
  const TimelinePicture picture = drawn(event("kernel", "gemm", "0/7", 0, 512, R"("device": 0, "stream": 7)") +
                                        event("gpu_memcpy", "Memcpy HtoD", "0/7", 1023.75, 0.25, R"("device": 0, "stream": 7)"));
  const std::string& overview = picture.lanes.at(0).overview;
  ASSERT_EQ(overview.size(), 2048u);
  const auto fill = [&](std::size_t part) { return static_cast<unsigned char>(overview[2 * part]); };
  const auto kind = [&](std::size_t part) { return picture.kinds[static_cast<unsigned char>(overview[2 * part + 1])]; };
  EXPECT_EQ(fill(0), 255);
  EXPECT_EQ(kind(511), "computing");
  EXPECT_EQ(fill(512), 0);
  EXPECT_EQ(fill(1023), 63);
  EXPECT_EQ(kind(1023), "copy");
}

TEST(Picture, TilesOfLongLanesFollowEachOther) {
  std::string events;
  for (int i = 0; i < 5000; ++i) events += event("cpu_op", "aten::add", "1/1", 10 * i, 4);
  const TimelinePicture picture = drawn(events);
  ASSERT_EQ(picture.lanes.at(0).begin.size(), 2u);
  EXPECT_EQ(picture.lanes[0].count, (std::vector<std::uint32_t>{4096, 904}));
  EXPECT_EQ(picture.names.size(), 1u);
  EXPECT_EQ(events_of(picture, picture.lanes[0]).back().begin, 49'990'000);
}

TEST(Picture, OfTooManyEventsTheShortestAreLeftOut) {
  std::string events;
  for (int i = 0; i < 100; ++i) events += event("cpu_op", "aten::add", "1/1", 1000 * i, i + 1);
  const TimelinePicture picture = drawn(events, 40);
  EXPECT_LE(picture.lanes.at(0).events, 40u);
  EXPECT_GE(picture.lanes.at(0).events, 30u);
  EXPECT_EQ(picture.left_out, 100 - picture.lanes[0].events);
  for (const Drawn& one : events_of(picture, picture.lanes[0])) EXPECT_GE(one.duration, picture.least_ns);
  EXPECT_EQ(picture.span_ns, 99'100'000);
}

TEST(Picture, OfNothingIsEmpty) {
  const TimelinePicture picture = picture_of(model::Timeline(), {});
  EXPECT_TRUE(picture.lanes.empty());
  EXPECT_EQ(picture.span_ns, 0);
}

TEST(Picture, StepsAreThoseThatTheProgramMarks) {
  const TimelinePicture picture =
      drawn(event("user_annotation", "ProfilerStep#3", "1/1", 50, 10) + event("user_annotation", "ProfilerStep#4", "1/1", 60, 15));
  ASSERT_EQ(picture.steps.size(), 2u);
  EXPECT_EQ(picture.steps[1].number, 4);
  EXPECT_EQ(picture.steps[1].begin, 10'000);
  EXPECT_EQ(picture.steps[1].end, 25'000);
}

}  // namespace
}  // namespace frx::derive::trace
