// Little-endian numbers inside of bytes, for the mutators of binary formats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace frx::fuzz {

// 0 where the bytes end before it.
inline std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  if (at > bytes.size() || bytes.size() - at < width) return 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// Nothing where the bytes end before it.
inline void set_number(std::string& bytes, std::size_t at, std::size_t width, std::uint64_t value) {
  if (at > bytes.size() || bytes.size() - at < width) return;
  for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(value >> 8 * i);
}

inline std::string number_bytes(std::uint64_t value, std::size_t width) {
  std::string bytes(width, '\0');
  set_number(bytes, 0, width, value);
  return bytes;
}

inline std::string piece(const std::string& bytes, std::uint64_t at, std::uint64_t size) {
  return at < bytes.size() ? bytes.substr(at, size) : std::string();
}

}  // namespace frx::fuzz
