// Which run says most, by a model of all runs before.
#pragma once

#include <optional>
#include <vector>

#include "derive/tune/history.h"

namespace frx::derive::tune {

std::optional<RunRequest> next_adaptive(const History& history);

// After the race: those that may be the fastest and may be fast enough, most promising first.
std::vector<std::size_t> adaptive_finalists(const History& history);

}  // namespace frx::derive::tune
