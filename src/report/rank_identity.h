// Which rank a trace is of, and whether traces are of one run.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "report/ranks_report.h"

namespace frx::report {

// Gives each its rank and where that is from, sorts them by it, and fills in the size of the world and who is missing.
// Fails when ranks cannot be told apart, or when the traces are not of one run.
Result<> identify(RanksReport& report);

// Of files as tensorboard_trace_handler names them, the last recording of each process; others as they are. The indices of
// those that count, ascending; `notes` says what is left out.
std::vector<std::size_t> last_recordings(const std::vector<std::string>& names, std::vector<std::string>& notes);

}  // namespace frx::report
