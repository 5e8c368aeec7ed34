// Compressed data for tests, by zlib.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

namespace frx::testing {

constexpr int as_gzip = 15 + 16, as_raw_deflate = -15;  // window bits of zlib

// In one of these forms; level: 1 to 9.
inline std::string deflated(std::string_view text, int form, int level = 6) {
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, form, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace frx::testing
