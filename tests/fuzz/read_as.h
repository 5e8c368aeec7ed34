// Feeds bytes to one format, whatever other formats would say of them.
#pragma once

#include "fuzz/input.h"
#include "ingest/format.h"
#include "ingest/line_reader.h"

namespace frx::fuzz {

inline void read_as(const ingest::Format& format, std::string_view bytes) {
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  ingest::LineReader lines(*source);
  ingest::Input input{"fuzz", lines, knowledge().metrics, {}};
  model::Session session;
  std::string_view line;
  while (true) {
    const Result<bool> more = lines.next(line);
    if (!more || !*more) return;
    if (!format.begins(line, knowledge().metrics)) continue;
    const Result<> done = format.read_lines(input, line, session);
    require(done || !done.error().message.empty());
    return;
  }
}

}  // namespace frx::fuzz
