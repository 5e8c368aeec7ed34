// Tells most names that are not in a table without looking them up.
#pragma once

#include <bitset>
#include <cstddef>
#include <string_view>

namespace frx {

// `places`: a power of two, several times as many as there are names.
template <std::size_t places = 8192>
class NameFilter {
 public:
  void add(std::string_view name) { bits_.set(place_of(name)); }
  // False for most names that were not added; true for all that were.
  bool may_have(std::string_view name) const { return bits_[place_of(name)]; }

 private:
  // Of a few characters: generated names differ in the last ones.
  static std::size_t place_of(std::string_view name) {
    if (name.empty()) return 0;
    const std::size_t size = name.size();
    const auto c = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(name[i])); };
    return (c(0) * 131 + c(size / 2) * 1031 + c(size - 1) * 7919 + c(size - 1 - size / 4) * 523 + size * 257) % places;
  }

  std::bitset<places> bits_;
};

}  // namespace frx
