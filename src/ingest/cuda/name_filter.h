// Tells most names that are not in a table without looking them up.
#pragma once

#include <bitset>
#include <cstddef>
#include <string_view>

namespace frx::ingest::cuda {

class NameFilter {
 public:
  void add(std::string_view name) { bits_.set(place_of(name)); }
  // False for most names that were not added; true for all that were.
  bool may_have(std::string_view name) const { return bits_[place_of(name)]; }

 private:
  static constexpr std::size_t places = 8192;
  static std::size_t place_of(std::string_view name) {
    if (name.empty()) return 0;
    const auto c = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(name[i])); };
    return (c(0) * 131 + c(name.size() / 2) * 31 + c(name.size() - 1) * 7 + name.size() * 257) % places;
  }

  std::bitset<places> bits_;
};

}  // namespace frx::ingest::cuda
