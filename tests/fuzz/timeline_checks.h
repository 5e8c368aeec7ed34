// What holds for a timeline and its steps, whatever was read.
#pragma once

#include "fuzz/input.h"
#include "model/step_table.h"
#include "model/timeline.h"

namespace frx::fuzz {

inline void check_columns(const model::Timeline& timeline) {
  const std::size_t rows = timeline.size();
  require(rows > 0 && timeline.duration.size() == rows && timeline.name.size() == rows && timeline.track.size() == rows);
  require(timeline.correlation.size() == rows && timeline.external.size() == rows && timeline.kind.size() == rows);
  require(timeline.copy_events.size() == timeline.copy_bytes.size());
  for (std::size_t row = 0; row < rows; ++row) {
    require(timeline.name[row] < timeline.names.size() && timeline.track[row] < timeline.tracks.size());
    require(timeline.duration[row] >= 0 && timeline.end(row) >= timeline.start[row]);
  }
}

inline void check_times(const model::GpuTime& time) {
  require(time.busy() + time.idle == time.span);
  std::int64_t blamed = 0;
  for (const std::int64_t part : time.idle_by) {
    require(part >= 0);
    blamed += part;
  }
  require(blamed == time.idle && time.compute >= 0 && time.communication >= 0 && time.copy >= 0);
}

inline void check_times_of(const model::StepTable& process) {
  for (const auto& gpu : process.gpus) {
    for (const auto& step : gpu.steps) check_times(step);
  }
}

}  // namespace frx::fuzz
