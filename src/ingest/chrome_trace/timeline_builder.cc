#include "ingest/chrome_trace/timeline_builder.h"

#include <fmt/format.h>

#include <charconv>

#include "base/units.h"
#include "ingest/chrome_trace/event_kinds.h"
#include "ingest/chrome_trace/numbers.h"

namespace frx::ingest::trace {
namespace {

using model::EventKind;
using model::Timeline;

// Ids above are taken by numbers that do not fit.
constexpr std::uint64_t largest_id = 0xEFFFFFFF;

// 7 of "stream 7", "7" and 7.
template <typename Number>
void read_trailing_number(std::string_view text, Number& number) {
  const std::size_t last = text.find_last_not_of("0123456789");
  const std::string_view digits = text.substr(last == text.npos ? 0 : last + 1);
  Number value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size() && !digits.empty()) number = value;
}

}  // namespace

EventKind TimelineBuilder::kind_of(const EventFields& fields) {
  const std::uint32_t category = categories_.add(fields.category.raw);
  if (category == kinds_.size()) kinds_.push_back(kind_of_category(fields.category.raw));
  const EventKind kind = kinds_[category];
  return kind == EventKind::cpu_op && is_range_of_program(fields.name.raw) ? EventKind::annotation : kind;
}

std::uint32_t TimelineBuilder::track_of(const EventFields& fields, bool on_gpu) {
  key_.assign(fields.pid.raw).push_back('\0');
  key_.append(fields.tid.raw);
  if (on_gpu) key_.append("\0gpu", 4);
  const std::uint32_t id = track_keys_.add(key_);
  if (id < timeline_.tracks.size()) return id;
  model::Track track{std::string(fields.pid.raw), std::string(fields.tid.raw), -1, -1};
  if (on_gpu) {
    read_trailing_number(fields.pid.raw, track.device);
    read_trailing_number(fields.tid.raw, track.stream);
    read_trailing_number(fields.device.raw, track.device);
    read_trailing_number(fields.stream.raw, track.stream);
  }
  timeline_.tracks.push_back(std::move(track));
  return id;
}

std::uint32_t TimelineBuilder::id_of(const Token& token) {
  const std::optional<std::uint64_t> id = whole(token);
  if (!id || *id == 0) return Timeline::no_id;
  if (*id <= largest_id) return static_cast<std::uint32_t>(*id);
  if (large_ids_.size() >= Timeline::no_id - largest_id - 1) return Timeline::no_id;
  const std::uint32_t next = static_cast<std::uint32_t>(largest_id + 1 + large_ids_.size());
  return large_ids_.try_emplace(*id, next).first->second;
}

void TimelineBuilder::add(const EventFields& fields) {
  ++seen_;
  const bool complete = fields.phase.raw == "X" || (fields.phase.kind == Token::nothing && fields.duration.kind != Token::nothing);
  if (!complete) {
    if (fields.name.raw == "[memory]") add_memory(fields);
    return;
  }
  const EventKind kind = kind_of(fields);
  const std::optional<TraceTime> start = microseconds(fields.time);
  const std::optional<TraceTime> duration = microseconds(fields.duration);
  if (!start || !duration || duration->ns < 0 || start->ns > INT64_MAX - duration->ns) {
    ++without_time_;
    timeline_.untimed_kernels += kind == EventKind::kernel;
    return;
  }
  at_zero_ += start->ns == 0 && duration->ns == 0 && kind != EventKind::window;
  if (start->fractional || duration->fractional) timeline_.whole_microseconds = false;
  const bool on_gpu = is_gpu_work(kind) || kind == EventKind::gpu_annotation || kind == EventKind::sync;
  if (fields.bytes.kind != Token::nothing && is_gpu_work(kind)) {
    if (const auto bytes = whole(fields.bytes)) {
      timeline_.copy_events.push_back(static_cast<std::uint32_t>(timeline_.size()));
      timeline_.copy_bytes.push_back(*bytes);
    }
  }
  if (kind == EventKind::cpu_op && fields.sequence.kind != Token::nothing) add_sequence(fields);
  timeline_.start.push_back(start->ns);
  timeline_.duration.push_back(duration->ns);
  timeline_.name.push_back(fields.name.raw.find('\\') == fields.name.raw.npos ? timeline_.names.add(fields.name.raw)
                                                                              : timeline_.names.add(unescaped(fields.name.raw)));
  timeline_.track.push_back(track_of(fields, on_gpu));
  timeline_.correlation.push_back(id_of(fields.correlation));
  timeline_.external.push_back(id_of(fields.external_id));
  timeline_.kind.push_back(kind);
}

// Numbers that do not fit are left out: they would join what does not belong together.
void TimelineBuilder::add_sequence(const EventFields& fields) {
  const auto sequence = whole(fields.sequence), thread = whole(fields.forward_thread);
  if (!sequence || *sequence > UINT32_MAX || thread.value_or(0) > UINT16_MAX) return;
  timeline_.numbered_events.push_back(static_cast<std::uint32_t>(timeline_.size()));
  timeline_.sequence.push_back(static_cast<std::uint32_t>(*sequence));
  timeline_.forward_thread.push_back(static_cast<std::uint16_t>(thread.value_or(0)));
}

void TimelineBuilder::add_memory(const EventFields& fields) {
  const std::optional<TraceTime> time = microseconds(fields.time);
  const auto allocated = whole(fields.allocated), reserved = whole(fields.reserved);
  if (!time || !allocated || !reserved) return;
  model::MemorySample sample{time->ns, -1, *allocated, *reserved};
  if (fields.device_type.raw != "0") read_trailing_number(fields.device_id.raw, sample.device);
  timeline_.memory.push_back(sample);
}

void TimelineBuilder::expect(std::uint64_t bytes_read, std::uint64_t bytes_in_all) {
  constexpr std::size_t enough_to_tell = 50'000;
  if (timeline_.size() < enough_to_tell || bytes_in_all <= bytes_read || timeline_.start.capacity() > timeline_.size() * 2) return;
  const double per_byte = static_cast<double>(timeline_.size()) / static_cast<double>(bytes_read);
  const auto room = static_cast<std::size_t>(per_byte * 1.1 * static_cast<double>(bytes_in_all));
  timeline_.start.reserve(room);
  timeline_.duration.reserve(room);
  timeline_.name.reserve(room);
  timeline_.track.reserve(room);
  timeline_.correlation.reserve(room);
  timeline_.external.reserve(room);
  timeline_.kind.reserve(room);
}

void TimelineBuilder::finish() {
  if (without_time_ > 0) {
    timeline_.notes.push_back({0, fmt::format("{} without a usable time and duration left out ({} of them kernels)",
                                              count_text(without_time_, "event"), timeline_.untimed_kernels)});
  }
  if (at_zero_ * 100 > timeline_.size() && timeline_.size() > 0) {
    timeline_.clock_broken = true;
    timeline_.notes.push_back({0, fmt::format("{} of {} stand at time 0 with no duration: the recording lost its clock", at_zero_,
                                              count_text(timeline_.size(), "event"))});
  }
}

}  // namespace frx::ingest::trace
