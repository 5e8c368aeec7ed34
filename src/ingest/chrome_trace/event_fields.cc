#include "ingest/chrome_trace/event_fields.h"

namespace frx::ingest::trace {
namespace {

using Field = Token EventFields::*;

// Old writers say "external id", "External Id" and the like.
bool is_external_id(std::string_view key) {
  return key.size() == 11 && (key[0] | 0x20) == 'e' && key.substr(1, 8) == "xternal " && (key[9] | 0x20) == 'i';
}

Field argument(std::string_view key) {
  switch (key.size()) {
    case 4: return key == "rank" ? &EventFields::rank : key == "grid" ? &EventFields::grid : nullptr;
    case 5:
      if (key == "block") return &EventFields::block;
      return key == "bytes" || key == "Bytes" ? &EventFields::bytes : key == "dtype" ? &EventFields::element_type : nullptr;
    case 6: return key == "device" ? &EventFields::device : key == "stream" ? &EventFields::stream : nullptr;
    case 8: return key == "CallFrom" ? &EventFields::call_from : nullptr;
    case 9: return key == "Device Id" ? &EventFields::device_id : nullptr;
    case 10:
      if (key == "Input type") return &EventFields::input_types;
      if (key == "Group size") return &EventFields::group_size;
      return key == "Input Dims" || key == "Input dims" ? &EventFields::input_dims : nullptr;
    case 11:
      if (key == "correlation") return &EventFields::correlation;
      if (key == "Device Type") return &EventFields::device_type;
      return is_external_id(key) ? &EventFields::external_id : nullptr;
    case 12: return key == "Input Shapes" ? &EventFields::input_dims : nullptr;
    case 13:
      if (key == "Input Strides") return &EventFields::input_strides;
      return key == "Fwd thread id" ? &EventFields::forward_thread : key == "In msg nelems" ? &EventFields::in_elements : nullptr;
    case 14: return key == "Total Reserved" ? &EventFields::reserved : key == "Out msg nelems" ? &EventFields::out_elements : nullptr;
    case 15:
      if (key == "Total Allocated") return &EventFields::allocated;
      if (key == "Collective name") return &EventFields::collective;
      if (key == "Concrete Inputs") return &EventFields::concrete_inputs;
      return key == "Sequence number" ? &EventFields::sequence : nullptr;
    case 16: return key == "Process Group ID" ? &EventFields::group : nullptr;  // until spring 2024
    case 18:
      if (key == "Record function id") return &EventFields::record_function;
      return key == "Process Group Name" ? &EventFields::group : nullptr;
    case 19: return key == "Process Group Ranks" ? &EventFields::group_ranks : nullptr;
    case 20: return key == "registers per thread" ? &EventFields::registers : nullptr;
    case 25: return key == "est. achieved occupancy %" ? &EventFields::occupancy : nullptr;
    default: return nullptr;
  }
}

Field member(std::string_view key) {
  switch (key.size()) {
    case 2: return key == "ph" ? &EventFields::phase : key == "ts" ? &EventFields::time : nullptr;
    case 3:
      if (key == "cat") return &EventFields::category;
      if (key == "pid") return &EventFields::pid;
      if (key == "tid") return &EventFields::tid;
      return key == "dur" ? &EventFields::duration : nullptr;
    case 4: return key == "name" ? &EventFields::name : nullptr;
    default: return nullptr;
  }
}

}  // namespace

bool read_event(JsonCursor& cursor, EventFields& fields, bool& is_event, std::vector<EventValue>* values) {
  if (values) values->clear();
  is_event = cursor.peek() == '{';
  if (!is_event) return cursor.good() && cursor.skip();
  const auto take = [&](Field field) {
    Token value;
    if (!cursor.value(value)) return false;
    if (field) fields.*field = value;
    if (values) values->push_back({value, field});
    return true;
  };
  return cursor.object([&](std::string_view key) {
    if (key == "args" && cursor.peek() == '{') return cursor.object([&](std::string_view name) { return take(argument(name)); });
    return take(member(key));
  });
}

}  // namespace frx::ingest::trace
