// What the fuzz targets share: the input in a block of exactly its length, so that the sanitizers see
// every read beyond its end, and the catalogues, loaded once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "knowledge/knowledge.h"

namespace frx::fuzz {

class ExactInput {
 public:
  ExactInput(const std::uint8_t* data, std::size_t size) : bytes_(new char[size]), size_(size) {
    if (size > 0) std::memcpy(bytes_.get(), data, size);
  }
  std::string_view text() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_;
};

inline const knowledge::Knowledge& knowledge() {
  static const knowledge::Knowledge known = knowledge::Knowledge::load("").value();
  return known;
}

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
