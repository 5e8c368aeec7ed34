// What was given to an analysis: sources with their formats, folders replaced by what they hold.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ingest/format.h"
#include "knowledge/metrics.h"

namespace frx::analyse {

struct Input {
  ingest::Source source;
  const ingest::Format* format = nullptr;  // null: nothing is known by its content or name
  ingest::Match match = ingest::Match::no;
  std::string folder = {};  // that was given and holds it; "" when it was given itself

  // What is not recognised may hold a profile behind its first bytes; a folder cannot.
  ingest::Kind kind() const { return format ? format->kind : source.is_folder() ? ingest::Kind::other : ingest::Kind::profile; }
};

// A folder is a run bundle, the traces of the ranks of one run (when no code lies in it or below), or code. Errors: a
// folder has none of these.
Result<std::vector<Input>> inputs_of(std::vector<ingest::Source> sources, const knowledge::MetricCatalogue& metrics);

// One source as it is. What cannot be opened goes by its name; reading it says why.
Input input_of(ingest::Source source, const knowledge::MetricCatalogue& metrics);

// Every kind there is among them.
bool all_are(std::span<const Input> inputs, bool (*is)(ingest::Kind));

}  // namespace frx::analyse
