// Events of a trace read by the layouts of those before them, and by the JsonCursor, which looks at every key: where a layout fits, both
// find the same values and the same end.
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "fuzz/require.h"
#include "ingest/chrome_trace/event_layouts.h"

namespace {

using namespace frx::ingest::trace;
using frx::fuzz::require;

bool are_the_same(const EventFields& one, const EventFields& other) {
  using Tokens = std::array<Token, sizeof(EventFields) / sizeof(Token)>;
  return std::ranges::equal(std::bit_cast<Tokens>(one), std::bit_cast<Tokens>(other), [](const Token& a, const Token& b) {
    return a.kind == b.kind && a.raw.data() == b.raw.data() && a.raw.size() == b.raw.size();
  });
}

// The position after the event at `at`; null where it is no whole event.
const char* compare(EventLayouts& layouts, const char* at, const char* end) {
  JsonCursor cursor(at, end);
  EventFields expected, fields;
  std::vector<EventValue> values;
  bool is_event = false;
  const bool is_whole = read_event(cursor, expected, is_event, &values);
  const char* const by_layout = layouts.read(at, end, fields);
  if (!is_whole) {
    require(by_layout == nullptr);
    return nullptr;
  }
  if (by_layout) {
    require(by_layout == cursor.at() && are_the_same(fields, expected));
  }
  layouts.learn(at, cursor.at(), values);
  return cursor.at();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Behind the events lies what must not matter.
  const std::string text = std::string(reinterpret_cast<const char*>(data), size) + std::string(JsonCursor::padding, '"');
  const char *const begin = text.data(), *const end = begin + size;
  EventLayouts layouts;
  // A brace that begins no whole event may be followed to the end of the input, so the number of such tries is limited.
  int tries = 100;
  for (const char* at = begin; at < end && tries > 0;) {
    const char* const next = *at == '{' ? compare(layouts, at, end) : nullptr;
    if (*at == '{' && !next) --tries;
    at = next ? next : at + 1;
  }
  return 0;
}
