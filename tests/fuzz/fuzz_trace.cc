// Traces of the PyTorch profiler. Whatever the bytes, the columns of the timeline are equally long and name what exists,
// and the times of each GPU add up to the time of the steps.
#include "derive/trace/breakdown.h"
#include "fuzz/input.h"
#include "ingest/chrome_trace/read_trace.h"
#include "ingest/unpacked_source.h"

namespace {

using frx::fuzz::require;
using frx::model::Timeline;

void check_columns(const Timeline& timeline) {
  const std::size_t rows = timeline.size();
  require(rows > 0 && timeline.duration.size() == rows && timeline.name.size() == rows && timeline.track.size() == rows);
  require(timeline.correlation.size() == rows && timeline.external.size() == rows && timeline.kind.size() == rows);
  require(timeline.copy_events.size() == timeline.copy_bytes.size());
  for (std::size_t row = 0; row < rows; ++row) {
    require(timeline.name[row] < timeline.names.size() && timeline.track[row] < timeline.tracks.size());
    require(timeline.duration[row] >= 0 && timeline.end(row) >= timeline.start[row]);
  }
}

void check_times(const frx::derive::trace::GpuTime& time) {
  require(time.busy() + time.idle == time.span);
  std::int64_t blamed = 0;
  for (const std::int64_t part : time.idle_by) {
    require(part >= 0);
    blamed += part;
  }
  require(blamed == time.idle && time.compute >= 0 && time.communication >= 0 && time.copy >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const std::unique_ptr<frx::ByteSource> bytes = frx::open_bytes(input.text());
  frx::ingest::UnpackedSource source(*bytes);
  if (!source.head()) return 0;
  const frx::Result<Timeline> timeline = frx::ingest::trace::read_trace("fuzz", source);
  if (!timeline) return 0;
  check_columns(*timeline);
  const frx::derive::trace::Attribution attribution = frx::derive::trace::attribute(*timeline);
  require(attribution.kernels_with_op <= attribution.kernels);
  for (const auto& process : frx::derive::trace::break_down(*timeline, attribution, frx::derive::trace::find_steps(*timeline))) {
    require(process.host.size() == process.steps.steps.size());
    for (const auto& gpu : process.gpus) {
      for (const auto& step : gpu.steps) check_times(step);
    }
  }
  return 0;
}
