// Traces for tests, written as a few lines.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "ingest/chrome_trace/read_trace.h"

namespace frx::testing {

// Reads the text of a trace; a failure fails the test and gives an empty timeline.
inline model::Timeline trace_of(const std::string& text) {
  const std::unique_ptr<ByteSource> source = open_bytes(text);
  Result<model::Timeline> timeline = ingest::trace::read_trace("t.json", *source);
  if (!timeline) ADD_FAILURE() << to_string(timeline.error());
  return timeline ? std::move(*timeline) : model::Timeline();
}

// One event. `args`: "correlation": 7, ...
inline std::string event(std::string_view category, std::string_view name, std::string_view track, double start_us, double duration_us,
                         std::string_view args = "") {
  const std::size_t slash = track.find('/');
  return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": {}, "ts": {:.3f}, "dur": {:.3f}, "args": {{{}}}}},)",
                     category, name, track.substr(0, slash), track.substr(slash + 1), start_us, duration_us, args);
}

inline std::string trace_with(const std::string& events) { return R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}"; }

}  // namespace frx::testing
