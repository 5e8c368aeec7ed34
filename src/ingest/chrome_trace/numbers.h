// Numbers of a trace as they are spelled in the file, bare or quoted.
#pragma once

#include <cstdint>
#include <optional>

#include "ingest/chrome_trace/json_cursor.h"

namespace frx::ingest::trace {

struct TraceTime {
  std::int64_t ns = 0;
  bool fractional = false;  // written with decimals
};

// Microseconds, with any number of decimals: 1608036516993663, 1824871066082.664, "12.5". Exact to the nanosecond. Absent
// for a value that is no number (nan, null) or does not fit.
std::optional<TraceTime> microseconds(const Token& token);

// A whole number that is not negative. Absent otherwise.
std::optional<std::uint64_t> whole(const Token& token);

}  // namespace frx::ingest::trace
