// Events that are laid out like earlier ones, read without looking at their keys.
//
// A trace has millions of events in a few layouts: the same keys in the same order with the same blanks. The texts between the values of an
// event are stored as a tree, and an event that follows one of its branches needs one comparison for each value. Nothing is assumed: the
// text is compared byte by byte, and an event with another layout, an escape or a stray quote in a string is left to the JsonCursor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingest/chrome_trace/event_fields.h"

namespace frx::ingest::trace {

class EventLayouts {
 public:
  EventLayouts();

  // Reads the event that begins at `at` into `fields` (empty before) and returns where it ends; null when it follows no known layout or
  // does not end before `end`, and `fields` is then invalid. As with JsonCursor, the bytes from `end` on for another JsonCursor::padding
  // must exist.
  const char* read(const char* at, const char* end, EventFields& fields);

  // Stores the layout of [begin, end), an event with these values, unless there are too many already.
  void learn(const char* begin, const char* end, const std::vector<EventValue>& values);

 private:
  // A text between two values, and the value after it.
  struct Link {
    std::uint32_t text = 0, size = 0;    // in texts_
    Token::Kind value = Token::nothing;  // nothing: the end of the event
    Token EventFields::*field = nullptr;
    std::vector<std::uint32_t> next;  // the most recently followed first
  };

  bool follows(const Link& link, const char* at, const char* end) const;
  std::uint32_t step(Link& from, const char* at, const char* end);
  std::uint32_t added(std::uint32_t from, std::string_view text, Token::Kind value, Token EventFields::*field);

  std::vector<Link> links_;  // the first is the root, which has no text
  std::string texts_;
};

}  // namespace frx::ingest::trace
