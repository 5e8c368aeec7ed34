// What is said of the configurations in the end.
#pragma once

#include <optional>
#include <vector>

#include "derive/tune/history.h"

namespace frx::derive::tune {

// Of full runs. nullopt: inconclusive.
Verdict verdict_of(const std::optional<Speedup>& full, const SearchRules& rules);

SearchResult result_of(const History& history);

}  // namespace frx::derive::tune
