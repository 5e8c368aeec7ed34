// Which configuration is tried next.
#pragma once

#include <optional>

#include "derive/tune/history.h"

namespace frx::derive::tune {

// First some documented ones of each family; then the one of which the model expects most. nullopt: none promises enough.
std::optional<std::size_t> next_to_try(const History& history);

}  // namespace frx::derive::tune
