// A command that was run several times, each time from its start to its end.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace frx::model {

struct TimedCommand {
  std::string label;              // "ours"
  std::string text;               // as the user wrote it
  std::vector<std::string> argv;  // what is run
  std::vector<double> runs_ms;    // that count, in their order
  std::optional<int> exit_code;   // of the last run, as a shell would report it; absent: it could not be started, or was ended
  std::string failure;            // why its runs ended early; "" when they did not
};

}  // namespace frx::model
