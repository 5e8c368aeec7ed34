// Stores each text once, under a small number: the names of a trace with millions of events.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/name_table.h"

namespace frx {

class Interner {
 public:
  // The number of `text`, which is copied when it was not seen before.
  std::uint32_t add(std::string_view text);
  // The number when it was seen before, else 0xFFFFFFFF.
  std::uint32_t find(std::string_view text) const { return table_.find(text); }
  std::string_view operator[](std::uint32_t id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::string_view keep(std::string_view text);

  NameTable table_;
  std::vector<std::string_view> texts_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t left_ = 0;  // bytes free at the end of the last block
  char* free_ = nullptr;
};

}  // namespace frx
