// How a fuzz target ends a run whose input shows a fault that no sanitizer sees.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace frx::fuzz {

// A promise of the code under test that an input has broken.
inline void require(bool holds) {
  if (!holds) std::abort();
}

// Says where two texts that have to be the same are not.
inline void require_same(std::string_view one, std::string_view other) {
  if (one == other) return;
  const auto differ = std::ranges::mismatch(one, other);
  const auto at = static_cast<std::size_t>(differ.in1 - one.begin()), from = at < 100 ? 0 : at - 100;
  for (const std::string_view text : {one, other}) {
    const std::string_view shown = text.substr(from, 300);
    std::fprintf(stderr, "at %zu of %zu: %.*s\n", at, text.size(), static_cast<int>(shown.size()), shown.data());
  }
  std::abort();
}

}  // namespace frx::fuzz
