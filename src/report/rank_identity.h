// The rank of a trace, and whether traces are of one run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "report/ranks_report.h"

namespace frx::report {

// Gives each its rank and the source of that number, sorts them by it, and fills in the size of the world and the missing ranks.
// Fails when ranks cannot be distinguished, or when the traces are not of one run.
Result<> identify(RanksReport& report);

// A rank whose number is known.
struct NumberedRank {
  std::int64_t rank = 0;
  std::string_view trace;  // its name
  std::optional<std::int64_t> world_size;
};

struct RanksPresent {
  std::optional<std::int64_t> world_size;
  std::vector<std::pair<std::int64_t, std::int64_t>> missing;  // first and last of each gap; after the last rank only in a known world
};

// What errors call the ranks, and their hint.
struct RunWords {
  std::string_view what;  // "traces"
  std::string_view hint;
};

// Of one run, at least one rank, by number. A rank beyond its world is noted. Fails when a number occurs twice or cannot be one, or when
// the ranks are of worlds of different sizes.
Result<RanksPresent> ranks_present(std::span<const NumberedRank> ranks, const RunWords& words, std::vector<std::string>& notes);

// Selects from files as tensorboard_trace_handler names them the last recording of each process; others are kept. The indices of the
// selected ones, ascending; `notes` says which are left out.
std::vector<std::size_t> last_recordings(const std::vector<std::string>& names, std::vector<std::string>& notes);

}  // namespace frx::report
