// data/ as it was when the program was built.
#pragma once

#include <span>

#include "base/document.h"

namespace frx::knowledge {

// Sorted by name; `file` is "data/metrics/memory.yaml". A schema has no nodes, only its text.
std::span<const DocumentView> embedded_files();

}  // namespace frx::knowledge
