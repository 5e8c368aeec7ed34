// The members of one event of a Chrome trace, as they stand in the file.
#pragma once

#include "ingest/chrome_trace/json_cursor.h"

namespace frx::ingest::trace {

struct EventFields {
  Token phase, category, name, pid, tid, time, duration;
  // Of its arguments.
  Token correlation, external_id, device, stream, bytes, sequence, forward_thread;
  Token allocated, reserved, device_id, device_type;  // of "[memory]"
};

// Blanks, then one event. `skip_other`: what is no object is skipped, and `is_event` says so.
bool read_event(JsonCursor& cursor, EventFields& fields, bool& is_event);

}  // namespace frx::ingest::trace
