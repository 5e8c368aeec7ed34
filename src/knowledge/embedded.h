// The content of data/ at build time.
#pragma once

#include <cstdint>
#include <span>

#include "base/document.h"

namespace frx::knowledge {

// Sorted by name; `file` is "data/metrics/memory.yaml". A schema has no nodes, only its text.
std::span<const DocumentView> embedded_files();

// Where an entry of a catalogue stands: index into embedded_files(), and of its node in that document.
struct EmbeddedEntry {
  std::uint32_t file, node;
};

// The entry of each metric, in the order of metrics::ids.
std::span<const EmbeddedEntry> embedded_metrics();

// A name that a profiler has for a metric, an index into metrics::ids, and where it stands.
struct EmbeddedName {
  std::uint32_t metric;
  EmbeddedEntry at;
};

// The names in the lists under each key of entries, in order; the last one that stands in data/ where several are equal.
struct EmbeddedNames {
  std::span<const EmbeddedName> ncu, nvprof, details;
};
EmbeddedNames embedded_names();

// A hash of all names and texts, made at build time: two builds with the same number have the same data.
std::uint64_t embedded_fingerprint();

}  // namespace frx::knowledge
