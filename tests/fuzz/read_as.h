// Feeds bytes to one importer, whatever the other importers would say of them.
#pragma once

#include "fuzz/input.h"
#include "ingest/importer.h"
#include "ingest/line_reader.h"

namespace frx::fuzz {

inline void read_as(const ingest::Importer& importer, std::string_view bytes) {
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  ingest::LineReader lines(*source);
  ingest::Input input{"fuzz", lines, knowledge().metrics, {}};
  model::Session session;
  std::string_view line;
  while (true) {
    const Result<bool> more = lines.next(line);
    if (!more || !*more) return;
    if (!importer.begins(line, knowledge().metrics)) continue;
    const Result<> done = importer.read(input, line, session);
    require(done || !done.error().message.empty());
    return;
  }
}

}  // namespace frx::fuzz
