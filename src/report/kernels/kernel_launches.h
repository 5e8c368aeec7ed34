// The launches of a profile that a profile of one kernel is about: equal ones (kernel, GPU, grid, block) together, others never.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/session.h"

namespace frx::report {

// Equal launches of a kernel that the name fits.
struct MatchedLaunches {
  std::string name;         // as the file spells it
  std::string grid, block;  // "(64, 64, 1)"; "" where it is not known
  std::optional<int> device;
  std::uint64_t launches = 0, timed_launches = 0;
  std::optional<double> total_us, median_us, min_us, max_us;  // median: of launches that stand in the file one by one
};

struct ChosenLaunches {
  std::vector<MatchedLaunches> matches;  // the longest first, which is the one that is used
  std::vector<double> samples_us;        // of those that are used, in launch order; empty where the file sums launches up
  model::Session session;                // of those that are used, and nothing else
};

// By full name, else by name without template arguments and parameters, else by a part of the name; "regex:..." by a POSIX extended regular
// expression; "" fits every kernel. `session` has every launch by itself (ingest::Keep::every_launch). Errors: the expression is none
// (usage); nothing fits (not enough evidence), with the names that there are.
Result<ChosenLaunches> choose_launches(model::Session session, std::string_view name);

}  // namespace frx::report
