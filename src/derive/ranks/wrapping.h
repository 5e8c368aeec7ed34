// Times of a damaged file may be anything: sums and differences of them wrap instead of overflowing.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace frx::derive::ranks {

inline std::int64_t minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t magnitude(std::int64_t a) { return a == INT64_MIN ? INT64_MAX : std::abs(a); }

}  // namespace frx::derive::ranks
