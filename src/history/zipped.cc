#include "history/zipped.h"

#include "history/record_of.h"
#include "ingest/zlib_bytes.h"

namespace frx::history {

std::string zipped(std::string_view text) { return ingest::zlib_packed(text); }

std::optional<std::string> unzipped(std::string_view bytes, std::uint64_t size) {
  return size > largest_document ? std::nullopt : ingest::zlib_unpacked(bytes, size);
}

}  // namespace frx::history
