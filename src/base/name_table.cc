#include "base/name_table.h"

#include <bit>
#include <cstring>
#include <utility>

namespace frx {

// Eight bytes at a time, multiplied and folded; names are short and mostly differ at their ends.
std::uint32_t NameTable::hash_of(std::string_view name) {
  constexpr std::uint64_t odd = 0x9FB21C651E98DF25;
  std::uint64_t hash = name.size() * odd;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * odd;
    hash ^= hash >> 32;
  };
  std::size_t at = 0;
  for (; at + 8 <= name.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, name.data() + at, 8);
    mix(word);
  }
  std::uint64_t rest = 0;
  if constexpr (std::endian::native == std::endian::little) {
    if (at > 0) {  // of the last eight bytes those that are left, at once
      std::memcpy(&rest, name.data() + name.size() - 8, 8);
      rest = __builtin_bswap64(rest) & ((std::uint64_t{1} << 8 * (name.size() - at)) - 1);
      at = name.size();
    }
  }
  for (; at < name.size(); ++at) rest = rest << 8 | static_cast<unsigned char>(name[at]);
  mix(rest);
  return static_cast<std::uint32_t>(hash);
}

std::size_t NameTable::slot_of(std::string_view name, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].id != 0xFFFFFFFF && (slots_[at].hash != hash || names_[slots_[at].id] != name)) at = (at + 1) & mask;
  return at;
}

NameTable::Found NameTable::add(std::string_view name) {
  const std::uint32_t hash = hash_of(name);
  std::size_t at = slot_of(name, hash);
  if (slots_[at].id != 0xFFFFFFFF) return {slots_[at].id, false};
  if (names_.size() * 2 >= slots_.size()) {
    grow();
    at = slot_of(name, hash);
  }
  slots_[at] = {hash, static_cast<std::uint32_t>(names_.size())};
  names_.push_back(name);
  return {slots_[at].id, true};
}

std::uint32_t NameTable::find(std::string_view name) const { return slots_[slot_of(name, hash_of(name))].id; }

void NameTable::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == 0xFFFFFFFF) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].id != 0xFFFFFFFF) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace frx
