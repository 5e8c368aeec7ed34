// Traces of the PyTorch profiler. Whatever the bytes, the columns of the timeline are equally long and name what exists,
// and the times of each GPU add up to the time of the steps. Reading in blocks gives what reading event by event gives.
#include "derive/ranks/lateness.h"
#include "derive/trace/breakdown.h"
#include "fuzz/input.h"
#include "fuzz/timeline_checks.h"
#include "ingest/chrome_trace/read_trace.h"
#include "ingest/unpacked_source.h"

namespace {

using frx::fuzz::check_columns;
using frx::fuzz::require;
using frx::model::Timeline;

template <typename T>
bool equal(const frx::Column<T>& a, const frx::Column<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// Whether it can be read is part of the answer, and so are places in errors and notes.
std::string said(const frx::Result<Timeline>& read) {
  std::string text = read ? "" : to_string(read.error());
  for (std::size_t i = 0; read && i < read->notes.size(); ++i) text += read->notes[i].text + "\n";
  return text;
}

void require_equal(const frx::Result<Timeline>& one, const frx::Result<Timeline>& other) {
  require(one.has_value() == other.has_value() && said(one) == said(other));
  if (!one) return;
  require(equal(one->start, other->start) && equal(one->duration, other->duration) && equal(one->kind, other->kind));
  require(equal(one->name, other->name) && equal(one->track, other->track) && one->names.size() == other->names.size());
  require(equal(one->correlation, other->correlation) && equal(one->external, other->external));
  require(one->copy_events == other->copy_events && one->copy_bytes == other->copy_bytes && one->memory.size() == other->memory.size());
  for (std::uint32_t i = 0; i < one->names.size(); ++i) require(one->names[i] == other->names[i]);
  for (std::size_t i = 0; i < one->tracks.size(); ++i) {
    require(one->tracks[i].pid == other->tracks[i].pid && one->tracks[i].tid == other->tracks[i].tid);
    require(one->tracks[i].device == other->tracks[i].device && one->tracks[i].stream == other->tracks[i].stream);
  }
}

frx::Result<Timeline> read_with(std::string_view text, std::size_t block_size) {
  const std::unique_ptr<frx::ByteSource> bytes = frx::open_bytes(text);
  frx::ingest::UnpackedSource source(*bytes);
  if (const auto head = source.head(); !head) return frx::Failure{head.error()};
  return frx::ingest::trace::read_trace("fuzz", source, {.block_size = block_size, .all_arguments = true});
}

// Two ranks that recorded the same: every collective is matched, and no rank waits.
void check_ranks(const Timeline& timeline, const frx::derive::trace::Attribution& attribution) {
  namespace ranks = frx::derive::ranks;
  frx::Interner words;
  const frx::derive::trace::Steps steps = frx::derive::trace::find_steps(timeline).front();
  const ranks::Sequence sequence = ranks::sequence_of(timeline, attribution, steps, -1, words);
  std::vector<std::int64_t> numbers;
  for (const auto& step : steps.steps) numbers.push_back(step.number);
  const ranks::Matching matching = ranks::match({{0, &sequence, numbers}, {1, &sequence, numbers}}, words);
  require(matching.collectives.size() == sequence.calls.size() && matching.together == sequence.calls.size());
  require(ranks::lateness_of(matching, {{1, 1}, {1, 1}}).with_waiting == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const frx::Result<Timeline> timeline = read_with(input.text(), frx::ingest::trace::usual_block);
  require_equal(read_with(input.text(), 0), timeline);
  for (const std::size_t block_size : {60, 400}) require_equal(read_with(input.text(), block_size), timeline);
  if (!timeline) return 0;
  check_columns(*timeline);
  const frx::derive::trace::Attribution attribution = frx::derive::trace::attribute(*timeline);
  require(attribution.kernels_with_op <= attribution.kernels);
  check_ranks(*timeline, attribution);
  for (const auto& process : frx::derive::trace::break_down(*timeline, attribution, frx::derive::trace::find_steps(*timeline))) {
    require(process.host_ns[0].size() == process.size() && process.kernels[process.size() - 1].has_value());
    frx::fuzz::check_times_of(process);
  }
  return 0;
}
