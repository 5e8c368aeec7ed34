// Which launch of one recording is which of another run of the same program: kernels of a timeline, rows of counters.
//
// Never by time and never by number alone. A launch is known by its key: the canonical name of its kernel, grid and block, and registers
// and shared memory where both sides state them alike. Per device, streams are paired by what ran on them, and the two sequences of keys
// are aligned; what is left over, because streams took turns differently, is aligned once more in launch order and matched where it is
// near, and at last by name alone where a side does not state its grid. A launch whose key is nowhere on the other side stays alone, and it
// is said why.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace frx::derive::compare {

using Shape = std::array<std::uint32_t, 3>;

struct JoinedLaunch {
  std::string_view name, mangled;  // mangled: "" when it is not stated
  std::optional<Shape> grid, block;
  std::optional<std::int64_t> device, stream;
  std::optional<std::uint32_t> registers, dynamic_shared;
};

enum class MatchQuality : std::uint8_t {
  exact,      // the only place for it
  gap_run,    // beside a launch that has no partner and the same key: either of them could be meant
  name_only,  // by name, for a side does not state its grid
};
std::string_view word_for(MatchQuality quality);  // "exact", "gap_run", "name_only"

enum class Unmatched : std::uint8_t {
  matched,
  unknown_name,  // no launch on the other side is of this kernel
  other_shape,   // there only with another grid or block
  surplus,       // there are fewer of this key, or they stand in another order
};

struct LaunchMatch {
  std::uint32_t first = 0, second = 0;
  MatchQuality quality = MatchQuality::exact;
};

struct LaunchJoin {
  std::vector<LaunchMatch> matches;      // by `first`
  std::vector<Unmatched> first, second;  // by launch
};

// Both in launch order. O(n log n).
LaunchJoin join_launches(std::span<const JoinedLaunch> first, std::span<const JoinedLaunch> second);

}  // namespace frx::derive::compare
