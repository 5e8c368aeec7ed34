// The script that runs one operator of a recording again, in Python: what was recorded, and the code that makes inputs of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/operators/operator_replay.h"

namespace frx::compose {

struct ReplayRuns {
  std::uint64_t iterations = 100, warmup = 10;  // what the script does when it is not told otherwise
};

// Nothing of the recording but numbers and quoted texts is in it, so a trace cannot make code.
std::string replay_script_of(const report::OperatorReplay& replay, const ReplayRuns& runs);

// 'text' as a literal of Python, in ASCII.
std::string python_literal(std::string_view text);

// src/compose/replay_script.py.
extern const std::string_view replay_script_text;

}  // namespace frx::compose
