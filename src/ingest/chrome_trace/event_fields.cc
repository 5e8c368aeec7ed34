#include "ingest/chrome_trace/event_fields.h"

namespace frx::ingest::trace {
namespace {

// Old writers say "external id", "External Id" and the like.
bool is_external_id(std::string_view key) {
  return key.size() == 11 && (key[0] | 0x20) == 'e' && key.substr(1, 8) == "xternal " && (key[9] | 0x20) == 'i';
}

Token* argument(EventFields& fields, std::string_view key) {
  switch (key.size()) {
    case 5: return key == "bytes" || key == "Bytes" ? &fields.bytes : nullptr;
    case 6: return key == "device" ? &fields.device : key == "stream" ? &fields.stream : nullptr;
    case 9: return key == "Device Id" ? &fields.device_id : nullptr;
    case 11:
      if (key == "correlation") return &fields.correlation;
      if (key == "Device Type") return &fields.device_type;
      return is_external_id(key) ? &fields.external_id : nullptr;
    case 13: return key == "Fwd thread id" ? &fields.forward_thread : nullptr;
    case 14: return key == "Total Reserved" ? &fields.reserved : nullptr;
    case 15: return key == "Total Allocated" ? &fields.allocated : key == "Sequence number" ? &fields.sequence : nullptr;
    default: return nullptr;
  }
}

Token* member(EventFields& fields, std::string_view key) {
  switch (key.size()) {
    case 2: return key == "ph" ? &fields.phase : key == "ts" ? &fields.time : nullptr;
    case 3:
      if (key == "cat") return &fields.category;
      if (key == "pid") return &fields.pid;
      if (key == "tid") return &fields.tid;
      return key == "dur" ? &fields.duration : nullptr;
    case 4: return key == "name" ? &fields.name : nullptr;
    default: return nullptr;
  }
}

bool take_into(JsonCursor& cursor, Token* wanted) {
  Token value;
  if (!cursor.value(value)) return false;
  if (wanted) *wanted = value;
  return true;
}

}  // namespace

bool read_event(JsonCursor& cursor, EventFields& fields, bool& is_event) {
  is_event = cursor.peek() == '{';
  if (!is_event) return cursor.good() && cursor.skip();
  return cursor.object([&](std::string_view key) {
    if (key == "args" && cursor.peek() == '{') {
      return cursor.object([&](std::string_view name) { return take_into(cursor, argument(fields, name)); });
    }
    return take_into(cursor, member(fields, key));
  });
}

}  // namespace frx::ingest::trace
