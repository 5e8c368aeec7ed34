// The members of one event of a Chrome trace, as they stand in the file.
#pragma once

#include <vector>

#include "ingest/chrome_trace/json_cursor.h"

namespace frx::ingest::trace {

struct EventFields {
  Token phase, category, name, pid, tid, time, duration;
  // Members of its "args".
  Token correlation, external_id, device, stream, bytes, sequence, forward_thread;
  Token allocated, reserved, device_id, device_type;              // of "[memory]"
  Token input_dims, input_types, input_strides, concrete_inputs;  // with record_shapes
  Token call_from;                                                // of a Python function
  Token record_function;                                          // other than 0 beside an execution trace
  Token occupancy;                                                // estimated by the profiler
  Token grid, block, registers;                                   // of a kernel
  Token rank;                                                     // added by tools that merge traces
  Token collective, element_type, in_elements, out_elements, group, group_ranks, group_size;
};

// A value of an event, or of its arguments, and the field it belongs to; null when the value is not needed.
struct EventValue {
  Token token;
  Token EventFields::*field = nullptr;
};

// Skips blanks, then reads one event; a value that is no object is skipped, and `is_event` says so. `values`, when given, receives all
// values of the event, in order.
bool read_event(JsonCursor& cursor, EventFields& fields, bool& is_event, std::vector<EventValue>* values = nullptr);

}  // namespace frx::ingest::trace
