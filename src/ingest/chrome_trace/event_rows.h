// Events of one section of a trace as columns, before they are joined with those before them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingest/chrome_trace/event_fields.h"
#include "model/timeline.h"

namespace frx::ingest::trace {

// Larger ids are reserved for numbers that do not fit.
inline constexpr std::uint64_t largest_id = 0xEFFFFFFF;

// What is kept beside what every answer needs, for it costs memory.
struct KeptDetail {
  bool all_arguments = false;  // of every operator, not of products only
  bool kernel_shapes = false;
};

struct EventRows {
  std::vector<std::int64_t> start, duration;
  std::vector<std::uint32_t> name, track;            // numbers of the EventConverter
  std::vector<std::uint32_t> correlation, external;  // above largest_id: indices into `large_ids`, counted from largest_id + 1
  std::vector<model::EventKind> kind;
  std::vector<std::uint64_t> large_ids;
  std::vector<std::uint32_t> copy_events;  // rows
  std::vector<std::uint64_t> copy_bytes;
  // For operators with a sequence number, see model::Timeline.
  std::vector<std::uint32_t> numbered_events, sequence;
  std::vector<std::uint16_t> forward_thread;
  std::vector<std::uint32_t> shaped_events;         // rows of operators whose shapes were recorded
  std::vector<std::uint32_t> shapes;                // of the EventConverter, or a hash, see model::Timeline
  std::vector<model::OperatorArguments> arguments;  // rows and names as here
  std::vector<model::PythonCall> python_calls;      // rows and names as here
  std::vector<std::uint32_t> occupancy_events;      // rows
  std::vector<float> occupancy_pct;
  std::vector<model::MemorySample> memory;
  std::vector<model::CollectiveArguments> collectives;  // rows and names as here
  std::vector<model::KernelShape> kernel_shapes;        // rows as here
  std::uint64_t seen = 0, without_time = 0, untimed_kernels = 0, at_zero = 0;
  bool fractional = false;
  KeptDetail kept;  // stays when the rows are cleared

  std::size_t size() const { return start.size(); }
  void clear();
};

// Turns events into rows. Names and tracks get numbers of this converter, which stay the same over all rows it makes.
class EventConverter {
 public:
  void add(const EventFields& fields, EventRows& rows);

  const Interner& names() const { return names_; }
  const Interner& shapes() const { return shapes_; }
  const std::vector<model::Track>& tracks() const { return tracks_; }
  // Tracks with equal keys are one.
  std::string_view track_key(std::uint32_t track) const { return track_keys_[track]; }

 private:
  // The last track of the CPU or a GPU: usually that of the next event, too.
  struct LastTrack {
    std::string pid, tid;
    std::uint32_t id = model::Timeline::no_id;
  };

  model::EventKind kind_of(const EventFields& fields);
  std::uint32_t name_of(std::string_view raw);
  void add_shapes(std::string_view dims, EventRows& rows);
  void add_collective(const EventFields& fields, EventRows& rows);
  void add_arguments(const EventFields& fields, std::uint32_t name, EventRows& rows);
  bool is_product(std::uint32_t name);
  std::uint32_t kept_text(const Token& token, std::size_t longest);
  std::uint32_t track_of(const EventFields& fields, bool on_gpu);
  std::uint32_t looked_up(const EventFields& fields, bool on_gpu);

  Interner names_, shapes_, categories_, track_keys_;
  Interner escaped_;                       // names with escapes, as they are spelled in the file
  std::vector<std::uint32_t> of_escaped_;  // their numbers in names_
  std::vector<model::EventKind> kinds_;    // by category
  std::vector<std::int8_t> is_product_;    // by name; -1: not judged yet
  std::vector<model::Track> tracks_;
  LastTrack last_[2];
  std::string key_;
};

}  // namespace frx::ingest::trace
