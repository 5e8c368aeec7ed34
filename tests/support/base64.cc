#include "support/base64.h"

namespace frx::testing {

Result<std::string> from_base64(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=' || c == '\n') continue;
    const std::size_t digit = alphabet.find(c);
    if (digit == alphabet.npos) return fail(ErrorKind::malformed, "'{}' is not base64", c);
    bits = bits << 6 | static_cast<unsigned>(digit);
    if ((count += 6) >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xFF);
    }
  }
  return bytes;
}

}  // namespace frx::testing
