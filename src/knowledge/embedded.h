// The content of data/ at build time.
#pragma once

#include <cstdint>
#include <span>

#include "base/document.h"

namespace frx::knowledge {

// Sorted by name; `file` is "data/metrics/memory.yaml". A schema has no nodes, only its text.
std::span<const DocumentView> embedded_files();

// A hash of all names and texts, made at build time: two builds with the same number have the same data.
std::uint64_t embedded_fingerprint();

}  // namespace frx::knowledge
