// Numbers of fixed width, the lowest byte first, as zip records and rank summaries have them. The caller has checked that they are in
// bounds.
#pragma once

#include <cstdint>
#include <string_view>

namespace frx::ingest {

inline std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}
inline std::uint16_t field16(std::string_view bytes, std::size_t at) { return static_cast<std::uint16_t>(little_endian(bytes, at, 2)); }
inline std::uint32_t field32(std::string_view bytes, std::size_t at) { return static_cast<std::uint32_t>(little_endian(bytes, at, 4)); }
inline std::uint64_t field64(std::string_view bytes, std::size_t at) { return little_endian(bytes, at, 8); }

}  // namespace frx::ingest
