// What several tools say of an analysis.
#pragma once

#include "serve/mcp/analysed.h"

namespace frx::serve {

// The measurement that would say more: {"why", "command"}; null where nothing is missing.
Json next_of(const Analysed& done);

}  // namespace frx::serve
