#include "history/zipped.h"

#include <zlib.h>

#include "history/record_of.h"

namespace frx::history {

std::string zipped(std::string_view text) {
  uLongf size = ::compressBound(text.size());
  std::string bytes(size, '\0');
  ::compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size(), 6);
  bytes.resize(size);
  return bytes;
}

std::optional<std::string> unzipped(std::string_view bytes, std::uint64_t size) {
  if (size > largest_document) return std::nullopt;
  std::string text(size, '\0');
  uLongf got = size;
  const int code = ::uncompress(reinterpret_cast<Bytef*>(text.data()), &got, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (code != Z_OK || got != size) return std::nullopt;
  return text;
}

}  // namespace frx::history
