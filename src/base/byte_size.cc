#include "base/byte_size.h"

#include <charconv>

#include "base/text.h"

namespace frx {

Result<std::uint64_t> parse_byte_size(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const int shift = unit == "K" || unit == "k"   ? 10
                    : unit == "M" || unit == "m" ? 20
                    : unit == "G" || unit == "g" ? 30
                    : unit.empty()               ? 0
                                                 : -1;
  if (error != std::errc() || shift < 0 || value == 0 || value > (UINT64_MAX >> shift))
    return fail(ErrorKind::usage, "expected an amount such as 512M or 8G, found '{}'", printable(text));
  return value << shift;
}

}  // namespace frx
