// Events of a trace into the columns of a timeline.
#pragma once

#include <unordered_map>

#include "ingest/chrome_trace/event_fields.h"
#include "model/timeline.h"

namespace frx::ingest::trace {

class TimelineBuilder {
 public:
  explicit TimelineBuilder(model::Timeline& timeline) : timeline_(timeline) {}

  void add(const EventFields& fields);
  // Room for as many events as the rest of the file will hold, if it goes on as it began.
  void expect(std::uint64_t bytes_read, std::uint64_t bytes_in_all);
  // Notes on what was strange.
  void finish();

  std::uint64_t seen() const { return seen_; }

 private:
  model::EventKind kind_of(const EventFields& fields);
  std::uint32_t track_of(const EventFields& fields, bool on_gpu);
  std::uint32_t id_of(const Token& token);
  void add_memory(const EventFields& fields);
  void add_sequence(const EventFields& fields);

  model::Timeline& timeline_;
  Interner categories_, track_keys_;
  std::vector<model::EventKind> kinds_;  // by category
  std::unordered_map<std::uint64_t, std::uint32_t> large_ids_;
  std::string key_;
  std::uint64_t seen_ = 0, without_time_ = 0, at_zero_ = 0, unusable_ = 0;
};

}  // namespace frx::ingest::trace
