#include "ingest/chrome_trace/timeline_builder.h"

#include <fmt/format.h>

#include "base/units.h"
#include "ingest/kept_shapes.h"

namespace frx::ingest::trace {
namespace {

using model::Timeline;

constexpr std::size_t many_names = 1 << 16;

}  // namespace

void NumberedConverter::forget_many() {
  if (converter.names().size() > many_names || converter.shapes().size() > most_shapes) *this = {};
}

void TimelineBuilder::append(const EventRows& rows, NumberedConverter& from) {
  const auto first = static_cast<std::uint32_t>(timeline_.size());
  for (const std::uint32_t row : rows.copy_events) timeline_.copy_events.push_back(first + row);
  timeline_.copy_bytes.insert(timeline_.copy_bytes.end(), rows.copy_bytes.begin(), rows.copy_bytes.end());
  for (const std::uint32_t row : rows.numbered_events) timeline_.numbered_events.push_back(first + row);
  timeline_.sequence.insert(timeline_.sequence.end(), rows.sequence.begin(), rows.sequence.end());
  timeline_.forward_thread.insert(timeline_.forward_thread.end(), rows.forward_thread.begin(), rows.forward_thread.end());
  for (const std::uint32_t row : rows.occupancy_events) timeline_.occupancy_events.push_back(first + row);
  timeline_.occupancy_pct.append(rows.occupancy_pct);
  for (model::KernelShape shape : rows.kernel_shapes) {
    shape.event += first;
    timeline_.kernel_shapes.push_back(shape);
  }
  timeline_.memory.insert(timeline_.memory.end(), rows.memory.begin(), rows.memory.end());
  timeline_.start.append(rows.start);
  timeline_.duration.append(rows.duration);
  timeline_.kind.append(rows.kind);
  append_names(rows, from);
  append_shapes(rows, from);
  append_tracks(rows, from);
  append_ids(rows);
  timeline_.whole_microseconds = timeline_.whole_microseconds && !rows.fractional;
  timeline_.untimed_kernels += rows.untimed_kernels;
  seen_ += rows.seen;
  without_time_ += rows.without_time;
  at_zero_ += rows.at_zero;
}

std::uint32_t TimelineBuilder::name_of(std::uint32_t name, NumberedConverter& from) {
  std::uint32_t& known = from.names[name];
  if (known == Timeline::no_id) known = timeline_.names.add(from.converter.names()[name]);
  return known;
}

// Names get their numbers in the order of the events, however the file was cut into blocks.
void TimelineBuilder::append_names(const EventRows& rows, NumberedConverter& from) {
  from.names.resize(from.converter.names().size(), Timeline::no_id);
  const auto first = static_cast<std::uint32_t>(timeline_.name.size());
  std::uint32_t* out = timeline_.name.extend(rows.size());
  std::size_t collective = 0, argument = 0, call = 0;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    out[row] = name_of(rows.name[row], from);
    if (argument < rows.arguments.size() && rows.arguments[argument].event == row) {
      model::OperatorArguments one = rows.arguments[argument++];
      one.event += first;
      for (std::uint32_t* text : {&one.types, &one.concrete, &one.shapes, &one.strides})
        *text = *text == Timeline::no_id ? *text : name_of(*text, from);
      timeline_.arguments.push_back(one);
    }
    if (call < rows.python_calls.size() && rows.python_calls[call].event == row)
      timeline_.python_calls.push_back({first + row, name_of(rows.python_calls[call++].from, from)});
    if (collective == rows.collectives.size() || rows.collectives[collective].event != row) continue;
    model::CollectiveArguments one = rows.collectives[collective++];
    one.event += first;
    for (std::uint32_t* name : {&one.name, &one.type, &one.group, &one.group_ranks}) *name = name_of(*name, from);
    timeline_.collectives.push_back(one);
  }
}

void TimelineBuilder::append_shapes(const EventRows& rows, NumberedConverter& from) {
  from.shapes.resize(from.converter.shapes().size(), Timeline::no_id);
  const auto first = static_cast<std::uint32_t>(timeline_.start.size() - rows.size());
  for (std::size_t i = 0; i < rows.shaped_events.size(); ++i) {
    timeline_.shaped_events.push_back(first + rows.shaped_events[i]);
    std::uint32_t number = rows.shapes[i];
    if (!Timeline::is_hash_of_shapes(number)) {
      std::uint32_t& known = from.shapes[number];
      if (known == Timeline::no_id) known = number_of_shapes(timeline_, from.converter.shapes()[number]);
      number = known;
    }
    timeline_.shapes_of.push_back(number);
  }
}

void TimelineBuilder::append_tracks(const EventRows& rows, NumberedConverter& from) {
  from.tracks.resize(from.converter.tracks().size(), Timeline::no_id);
  std::uint32_t* out = timeline_.track.extend(rows.size());
  for (const std::uint32_t track : rows.track) {
    std::uint32_t& known = from.tracks[track];
    if (known == Timeline::no_id) {
      known = track_keys_.add(from.converter.track_key(track));
      if (known == timeline_.tracks.size()) timeline_.tracks.push_back(from.converter.tracks()[track]);
    }
    *out++ = known;
  }
}

// The number of an id that does not fit: numbers above largest_id, in the order of their occurrence.
std::uint32_t TimelineBuilder::joined(std::uint32_t id, const EventRows& rows) {
  if (id <= largest_id || id == Timeline::no_id) return id;
  const std::uint64_t large = rows.large_ids[id - largest_id - 1];
  const auto known = large_ids_.find(large);
  if (known != large_ids_.end()) return known->second;
  if (large_ids_.size() >= Timeline::no_id - largest_id - 1) return Timeline::no_id;
  const auto next = static_cast<std::uint32_t>(largest_id + 1 + large_ids_.size());
  return large_ids_.emplace(large, next).first->second;
}

void TimelineBuilder::append_ids(const EventRows& rows) {
  if (rows.large_ids.empty()) {
    timeline_.correlation.append(rows.correlation);
    timeline_.external.append(rows.external);
    return;
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    timeline_.correlation.push_back(joined(rows.correlation[row], rows));
    timeline_.external.push_back(joined(rows.external[row], rows));
  }
}

void TimelineBuilder::finish() {
  if (without_time_ > 0) {
    timeline_.notes.push_back({0, fmt::format("{} without a usable time and duration left out ({} of them kernels)",
                                              count_text(without_time_, "event"), timeline_.untimed_kernels)});
  }
  if (at_zero_ * 100 > timeline_.size() && timeline_.size() > 0) {
    timeline_.clock_broken = true;
    timeline_.notes.push_back({0, fmt::format("{} of {} are at time 0 with no duration: the recording lost its clock", at_zero_,
                                              count_text(timeline_.size(), "event"))});
  }
}

}  // namespace frx::ingest::trace
