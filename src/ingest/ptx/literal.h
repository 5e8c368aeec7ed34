// Numbers as PTX spells them: 12, 017, 0x1F, 0b101, 12U, 0f3F800000 (the bits of a float),
// 0d3FF0000000000000 (of a double), 1.5e-3.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace frx::ingest::ptx {

struct Literal {
  enum Kind : std::uint8_t { integer, real32, real64 };

  Kind kind = integer;
  std::uint64_t bits = 0;  // of the number; a decimal fraction is a double
};

// nullopt for text that is no number, or an integer of more than 64 bits.
std::optional<Literal> parse_literal(std::string_view spelling);

}  // namespace frx::ingest::ptx
