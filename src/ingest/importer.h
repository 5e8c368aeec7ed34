// What a reader of one format looks like, and the list of all of them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "ingest/line_reader.h"
#include "knowledge/metrics.h"
#include "model/session.h"

namespace frx::ingest {

struct Input {
  std::string name;                                  // for messages and the report
  LineReader& lines;
  const knowledge::MetricCatalogue& metrics;
  std::function<void(std::uint64_t bytes)> progress; // called now and then; may be empty
};

struct BinaryInput {
  std::string name;
  ByteSource& bytes;                                 // from the first byte on
  const knowledge::MetricCatalogue& metrics;
  std::function<void(std::uint64_t bytes)> progress;
};

// A format is text, with `begins` and `read`, or binary, with `recognises` and `read_bytes`.
struct Importer {
  std::string_view id;
  std::string_view title;
  // Does this line begin the format? Lines before it (program output, ==PROF== lines) are skipped.
  bool (*begins)(std::string_view line, const knowledge::MetricCatalogue& metrics) = nullptr;
  // Reads from `first`, the line that begins it, to the end. `first` dies with the next line.
  Result<> (*read)(Input& input, std::string_view first, model::Session& into) = nullptr;
  // Do these first bytes of a file begin the format?
  bool (*recognises)(std::string_view head) = nullptr;
  Result<> (*read_bytes)(BinaryInput& input, model::Session& into) = nullptr;
};

std::span<const Importer* const> importers();

// Recognises and reads one source. The error names the file, what was expected and what was found.
Result<model::Session> load(std::string name, ByteSource& source, const knowledge::MetricCatalogue& metrics,
                            const std::function<void(std::uint64_t)>& progress = {});

// What git keeps in place of a large file until `git lfs pull`.
bool is_lfs_pointer(std::string_view head);

// Keeps a `==ERROR==` or `==WARNING==` line of the tool; true when the line is one of its own at all.
bool take_tool_line(std::string_view line, model::Session& session);

#define FRX_IMPORTER(name) extern const Importer name;
#include "ingest/importers.def"
#undef FRX_IMPORTER

}  // namespace frx::ingest
