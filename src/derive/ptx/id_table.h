// Finds the number of an item by its content: open addressing over hashes, without an allocation for each entry. Forms are looked
// up for every instruction, so this is most of the cost of following addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace frx::derive::ptx {

class IdTable {
 public:
  static constexpr std::uint32_t absent = 0xFFFFFFFF;

  // The number for which `is_it` holds among those that were added with this hash, or `absent`.
  template <typename IsIt>
  std::uint32_t find(std::uint64_t hash, IsIt is_it) const {
    const std::size_t mask = slots_.size() - 1;
    const auto tag = tag_of(hash);
    for (std::size_t at = tag & mask; slots_[at].id != absent; at = (at + 1) & mask) {
      if (slots_[at].tag == tag && is_it(slots_[at].id)) return slots_[at].id;
    }
    return absent;
  }

  void add(std::uint64_t hash, std::uint32_t id) {
    if (2 * ++count_ > slots_.size()) grow();
    put({tag_of(hash), id});
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t id = absent;
  };

  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash ^ hash >> 32); }

  void put(const Slot& slot) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = slot.tag & mask;
    while (slots_[at].id != absent) at = (at + 1) & mask;
    slots_[at] = slot;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.id != absent) put(slot);
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);  // a power of two, at most half full
  std::size_t count_ = 0;
};

}  // namespace frx::derive::ptx
