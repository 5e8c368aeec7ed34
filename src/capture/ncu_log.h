// The messages of ncu in its log file, beside the table.
//
//   ==PROF== Connected to process 12 (/usr/bin/python3)
//   ==ERROR== Failed to find metric regex:^smsp__nothing\.avg$
//   ==ERROR== The application returned an error code (1).
//   ==WARNING== No kernels were profiled.
//   Available Kernels:
//   1. vector_add
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace frx::capture {

struct NcuLog {
  bool has_table = false;  // a header and at least one launch
  bool no_kernels = false;
  std::vector<std::string> errors;             // without "==ERROR==", in order
  std::vector<std::string> unknown_counters;   // as ncu wrote them: names or regular expressions
  std::vector<std::string> available_kernels;  // what the filter could have matched
  std::optional<int> application_code;         // of "The application returned an error code"

  bool mentions(std::string_view words) const;
};

// Streams through the log; a table of any size costs no memory.
Result<NcuLog> read_ncu_log(ByteSource& log);

// Does the name or regular expression that ncu could not find match this counter?
bool is_meant(std::string_view unknown, std::string_view counter);

}  // namespace frx::capture
