// Events of a trace into the columns of a timeline.
#pragma once

#include <unordered_map>

#include "ingest/chrome_trace/event_rows.h"
#include "model/timeline.h"

namespace frx::ingest::trace {

// A converter, and what its numbers are in the timeline. It may be used for any rows, but only for those of one timeline.
struct NumberedConverter {
  EventConverter converter;
  std::vector<std::uint32_t> names, shapes, tracks;  // by number of the converter; Timeline::no_id: not known yet

  // Forgets everything once there are so many names or shapes that keeping them twice would weigh.
  void forget_many();
};

class TimelineBuilder {
 public:
  explicit TimelineBuilder(model::Timeline& timeline) : timeline_(timeline) {}

  // Rows in the order of the file. Names and tracks are numbered as they come up in it, whoever converted them.
  void append(const EventRows& rows, NumberedConverter& from);
  // Notes on what was strange.
  void finish();

  std::uint64_t seen() const { return seen_; }

 private:
  void append_names(const EventRows& rows, NumberedConverter& from);
  std::uint32_t name_of(std::uint32_t name, NumberedConverter& from);
  void append_shapes(const EventRows& rows, NumberedConverter& from);
  std::uint32_t shapes_numbered(std::string_view dims);
  void append_tracks(const EventRows& rows, NumberedConverter& from);
  void append_ids(const EventRows& rows);
  std::uint32_t joined(std::uint32_t id, const EventRows& rows);

  model::Timeline& timeline_;
  Interner track_keys_;
  std::unordered_map<std::uint64_t, std::uint32_t> large_ids_;
  std::uint64_t seen_ = 0, without_time_ = 0, at_zero_ = 0;
};

}  // namespace frx::ingest::trace
