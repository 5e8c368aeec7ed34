#include "base/base64.h"

#include <cstdint>

namespace frx {

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const auto byte = [&](std::size_t k) -> std::uint32_t { return k < left ? static_cast<unsigned char>(bytes[i + k]) : 0; };
    const std::uint32_t bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (std::size_t k = 0; k < 4; ++k, ++out) {
      if (k <= left) *out = digits[bits >> (18 - 6 * k) & 63];
    }
  }
  return text;
}

}  // namespace frx
