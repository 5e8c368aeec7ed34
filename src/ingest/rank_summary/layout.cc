#include "ingest/rank_summary/layout.h"

#include <zlib.h>

namespace frx::ingest::rank_summary {

void put_fixed(std::string& bytes, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
}

std::uint64_t fixed_at(std::string_view bytes, std::size_t at, int width) {
  std::uint64_t value = 0;
  for (int i = 0; i < width; ++i)
    value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(bytes[at + static_cast<std::size_t>(i)])) << (8 * i);
  return value;
}

std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string deflated(std::string_view bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  ::compress2(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
              static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION);
  result.resize(size);
  return result;
}

bool inflate_into(std::string_view bytes, std::string& into) {
  uLongf size = static_cast<uLongf>(into.size());
  char nothing = 0;  // zlib takes no null pointer
  auto* const to = reinterpret_cast<Bytef*>(into.empty() ? &nothing : into.data());
  const int done = ::uncompress(to, &size, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()));
  return done == Z_OK && size == into.size();
}

}  // namespace frx::ingest::rank_summary
