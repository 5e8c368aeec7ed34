#include "base/interner.h"

#include <algorithm>
#include <cstring>

namespace frx {
namespace {

constexpr std::size_t block_size = std::size_t{64} << 10;

}  // namespace

std::uint32_t Interner::add(std::string_view text) {
  const std::uint32_t known = table_.find(text);
  if (known != 0xFFFFFFFF) return known;
  texts_.push_back(keep(text));
  return table_.add(texts_.back()).id;
}

std::string_view Interner::keep(std::string_view text) {
  if (text.size() > left_) {
    left_ = std::max(text.size(), block_size);
    free_ = blocks_.emplace_back(std::make_unique_for_overwrite<char[]>(left_)).get();
  }
  if (text.empty()) return {};
  std::memcpy(free_, text.data(), text.size());
  const std::string_view kept(free_, text.size());
  free_ += text.size();
  left_ -= text.size();
  return kept;
}

}  // namespace frx
