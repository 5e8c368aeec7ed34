// Constant expressions: `-16`, `(1 << 4) - 1`, `0x10 + 4 * WARP_SZ`, with the operators of C and casts.
#pragma once

#include <cstdint>

#include "ingest/ptx/reading.h"

namespace frx::ingest::ptx {

struct Constant {
  enum Kind : std::uint8_t { integer, real32, real64 };

  Kind kind = integer;
  std::uint64_t bits = 0;  // of the value: an integer of 64 bits, signed or not; a float; a double
};

// Does the token begin one?
bool at_constant(const Reading& in);
// Reads one, to the first token that does not continue it. Integers wrap around; a division by zero is
// a problem.
bool read_constant(Reading& in, Constant& value);
// The same for a sum behind an address: `+16`, `+-4`, `-4`, nothing at all (0).
bool read_offset(Reading& in, std::int64_t& offset);

}  // namespace frx::ingest::ptx
