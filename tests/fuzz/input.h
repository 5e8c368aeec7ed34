// What the fuzz targets share: the input in a block of exactly its length, so that the sanitizers see
// every read beyond its end, and the catalogues, loaded once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "fuzz/require.h"
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

}  // namespace frx::fuzz
