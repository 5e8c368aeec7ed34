// The members beside the events of a trace: devices, ranks, versions, how it was recorded.
#pragma once

#include <string_view>

#include "model/timeline.h"

namespace frx::ingest::trace {

// Members of the trace that are read; others may be long and are skipped.
bool is_header_fact(std::string_view key);

// `json`: the value as it is spelled in the file. A value of an unexpected kind is left out.
void take_header_fact(std::string_view key, std::string_view json, model::TraceFacts& facts);

}  // namespace frx::ingest::trace
