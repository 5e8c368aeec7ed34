// Adds events of a trace to the columns of a timeline.
#pragma once

#include <unordered_map>

#include "ingest/chrome_trace/event_rows.h"
#include "model/timeline.h"

namespace frx::ingest::trace {

// A converter, and the numbers of the timeline for its numbers. It may be used for any rows, but only for those of one timeline.
struct NumberedConverter {
  EventConverter converter;
  std::vector<std::uint32_t> names, shapes, tracks;  // by number of the converter; Timeline::no_id: not known yet

  // Clears everything once there are so many names or shapes that storing them twice would cost too much memory.
  void forget_many();
};

class TimelineBuilder {
 public:
  TimelineBuilder(model::Timeline& timeline, KeptDetail kept) : timeline_(timeline), kept_(kept) {}

  // Rows in the order of the file. Names and tracks are numbered as they occur in it, whichever thread converted them.
  void append(const EventRows& rows, NumberedConverter& from);
  // Adds notes on irregularities.
  void finish();

  std::uint64_t seen() const { return seen_; }
  KeptDetail kept() const { return kept_; }

 private:
  void append_names(const EventRows& rows, NumberedConverter& from);
  std::uint32_t name_of(std::uint32_t name, NumberedConverter& from);
  void append_shapes(const EventRows& rows, NumberedConverter& from);
  void append_tracks(const EventRows& rows, NumberedConverter& from);
  void append_ids(const EventRows& rows);
  std::uint32_t joined(std::uint32_t id, const EventRows& rows);

  model::Timeline& timeline_;
  const KeptDetail kept_;
  Interner track_keys_;
  std::unordered_map<std::uint64_t, std::uint32_t> large_ids_;
  std::uint64_t seen_ = 0, without_time_ = 0, at_zero_ = 0;
};

}  // namespace frx::ingest::trace
