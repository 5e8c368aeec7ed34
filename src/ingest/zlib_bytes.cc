#include "ingest/zlib_bytes.h"

#include <zlib.h>

namespace frx::ingest {

std::string zlib_packed(std::string_view bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  ::compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
              static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION);
  packed.resize(size);
  return packed;
}

std::optional<std::string> zlib_unpacked(std::string_view bytes, std::uint64_t size) {
  std::string text(size, '\0');
  uLongf got = static_cast<uLongf>(size);
  const int code = ::uncompress(reinterpret_cast<Bytef*>(text.data()), &got, reinterpret_cast<const Bytef*>(bytes.data()),
                                static_cast<uLong>(bytes.size()));
  if (code != Z_OK || got != size) return std::nullopt;
  return text;
}

}  // namespace frx::ingest
