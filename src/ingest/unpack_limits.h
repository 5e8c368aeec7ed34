// What compressed data may become. Text of profilers compresses to a fiftieth; zstd can make a gigabyte of some kilobytes.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace frx::ingest {

inline constexpr std::uint64_t freely_unpacked = std::uint64_t{1} << 20;  // bytes that any data may become
inline constexpr std::uint64_t largest_ratio = 200;                       // of what is unpacked beyond that to what was compressed

constexpr bool unpacks_to_too_much(std::uint64_t unpacked, std::uint64_t packed) {
  return unpacked > freely_unpacked && (unpacked - freely_unpacked) / largest_ratio > packed;
}

inline Failure too_much_unpacked() {
  return fail(ErrorKind::malformed, "the compressed data unpacks to more than {} times its size", largest_ratio)
      .hint("unpack it yourself if you trust it, and give what is in it");
}

}  // namespace frx::ingest
