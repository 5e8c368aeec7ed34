// A moment of a run as a file for the textfile collector of Prometheus' node_exporter (docs/live.md).
#pragma once

#include <string>

#include "capture/live/run_state.h"

namespace frx::capture {

// Every series carries run_id, so that files of several runs can lie in one folder. A family without a value is left out.
std::string textfile_of(const RunState& state);

}  // namespace frx::capture
