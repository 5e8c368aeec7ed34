#include "ingest/ptx/literal.h"

#include <bit>
#include <charconv>
#include <cstddef>

namespace frx::ingest::ptx {
namespace {

std::optional<std::uint64_t> whole(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<Literal> bits_of(std::string_view digits, Literal::Kind kind, std::size_t size) {
  const std::optional<std::uint64_t> bits = digits.size() == size ? whole(digits, 16) : std::nullopt;
  return bits ? std::optional(Literal{kind, *bits}) : std::nullopt;
}

std::optional<Literal> fraction(std::string_view spelling) {
  double value = 0;
  const auto [end, error] = std::from_chars(spelling.data(), spelling.data() + spelling.size(), value);
  if (error != std::errc() || end != spelling.data() + spelling.size()) return std::nullopt;
  return Literal{Literal::real64, std::bit_cast<std::uint64_t>(value)};
}

std::optional<Literal> integer(std::string_view digits, int base) {
  const bool is_unsigned = digits.ends_with('U');
  const std::optional<std::uint64_t> value = whole(digits.substr(0, digits.size() - (is_unsigned ? 1 : 0)), base);
  return value ? std::optional(Literal{Literal::integer, *value}) : std::nullopt;
}

}  // namespace

std::optional<Literal> parse_literal(std::string_view spelling) {
  if (spelling.size() > 1 && spelling[0] == '0') {
    const std::string_view digits = spelling.substr(2);
    switch (spelling[1]) {
      case 'x':
      case 'X': return integer(digits, 16);
      case 'b':
      case 'B': return integer(digits, 2);
      case 'f':
      case 'F': return bits_of(digits, Literal::real32, 8);
      case 'd':
      case 'D': return bits_of(digits, Literal::real64, 16);
      default: break;
    }
  }
  if (spelling.find_first_of(".eE") != spelling.npos) return fraction(spelling);
  const bool octal = spelling.size() > 1 && spelling[0] == '0' && spelling[1] != 'U';
  return integer(spelling, octal ? 8 : 10);
}

}  // namespace frx::ingest::ptx
