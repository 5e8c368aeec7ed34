// data/ as it was when the program was built.
#pragma once

#include <cstdint>
#include <span>

#include "base/document.h"

namespace frx::knowledge {

// Sorted by name; `file` is "data/metrics/memory.yaml". A schema has no nodes, only its text.
std::span<const DocumentView> embedded_files();

// A hash of all names and texts, made at build time: two builds with the same number know the same things.
std::uint64_t embedded_fingerprint();

}  // namespace frx::knowledge
