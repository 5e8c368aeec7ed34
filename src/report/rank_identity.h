// The rank of a trace, and whether traces are of one run.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "report/ranks_report.h"

namespace frx::report {

// Gives each its rank and the source of that number, sorts them by it, and fills in the size of the world and the missing ranks.
// Fails when ranks cannot be distinguished, or when the traces are not of one run.
Result<> identify(RanksReport& report);

// Selects from files as tensorboard_trace_handler names them the last recording of each process; others are kept. The indices of the
// selected ones, ascending; `notes` says which are left out.
std::vector<std::size_t> last_recordings(const std::vector<std::string>& names, std::vector<std::string>& notes);

}  // namespace frx::report
