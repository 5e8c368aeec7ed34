// What a trace looks like, small enough to be drawn by a browser: the events of each thread and stream in tiles, and a summary of each lane
// for looking at it from afar. The shapes are those of TimelineData in web/src/data.ts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/timeline.h"

namespace frx::model {

struct TimelineLane {
  std::string name, group;   // "stream 7", "GPU 0"
  std::int32_t device = -1;  // of a stream; -1: a thread
  std::uint32_t depth = 1;   // levels of nesting
  std::uint64_t events = 0;
  std::string overview;  // two bytes for each of equal parts of the span: how full it is (0 to 255), the kind that takes most of it
  // By tile: times from the begin of the recording in ns, and where its events begin in TimelinePicture::tiles.
  std::vector<std::int64_t> begin, reach;
  std::vector<std::uint32_t> count;
  std::vector<std::uint64_t> at;
};

struct TimelineStep {
  std::int64_t number = 0;
  std::int64_t begin = 0, end = 0;  // ns, from the begin of the recording
};

struct TimelinePicture {
  std::int64_t origin_ns = 0;  // the begin of the recording, of the clock of the trace
  std::int64_t span_ns = 0;
  std::vector<std::string> names;           // of events
  std::span<const std::string_view> kinds;  // of events, for people
  std::vector<TimelineLane> lanes;
  std::vector<TimelineStep> steps;
  std::vector<MemorySample> memory;  // by time, which is from the begin of the recording; thinned out, peaks are kept
  std::string tiles;                 // the events of all lanes
  std::uint64_t left_out = 0;        // events shorter than `least_ns`, where there are too many
  std::int64_t least_ns = 0;
};

}  // namespace frx::model
