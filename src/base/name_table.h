// Gives equal spellings the same small number, fast: there is a lookup for every opcode, register and event of a file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace frx {

class NameTable {
 public:
  struct Found {
    std::uint32_t id;
    bool is_new;
  };

  // The number of `name`, the next one when it was not seen before. `name` must outlive the table.
  Found add(std::string_view name);
  // The number when it was seen before, else 0xFFFFFFFF.
  std::uint32_t find(std::string_view name) const;
  std::size_t size() const { return names_.size(); }
  void reserve(std::size_t names) { names_.reserve(names); }
  std::string_view operator[](std::uint32_t id) const { return names_[id]; }
  // Of any text; equal in every run.
  static std::uint32_t hash_of(std::string_view name);

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = 0xFFFFFFFF;
  };
  std::size_t slot_of(std::string_view name, std::uint32_t hash) const;
  void grow();

  std::vector<std::string_view> names_;
  std::vector<Slot> slots_ = std::vector<Slot>(64);  // a power of two, at most half full
};

}  // namespace frx
