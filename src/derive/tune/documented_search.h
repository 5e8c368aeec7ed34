// The documented flow: every configuration in its order, a race where it is wanted, and full runs of the first few.
#pragma once

#include <optional>
#include <vector>

#include "derive/tune/history.h"

namespace frx::derive::tune {

std::optional<RunRequest> next_documented(const History& history);

// After the race: as many as are promoted, by their throughput; failed ones are left out.
std::vector<std::size_t> documented_finalists(const History& history);

}  // namespace frx::derive::tune
