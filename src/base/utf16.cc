#include "base/utf16.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace frx {
namespace {

constexpr std::size_t step = 64;  // bytes from mark to mark: little to count, and a sixteenth of the text to keep

// Of the character that begins with this byte; bytes that continue one have none of their own.
std::uint32_t units(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return (byte & 0xC0) == 0x80 ? 0 : byte < 0xF0 ? 1 : 2;
}

std::uint32_t units(std::string_view text) {
  std::uint32_t sum = 0;
  for (const char c : text) sum += units(c);
  return sum;
}

bool is_ascii(std::string_view text) {
  std::uint64_t all = 0, eight = 0;
  for (; text.size() >= sizeof eight; text.remove_prefix(sizeof eight)) {
    std::memcpy(&eight, text.data(), sizeof eight);
    all |= eight;
  }
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return (all & 0x8080808080808080u) == 0;
}

}  // namespace

Utf16Units::Utf16Units(std::string_view text) {
  if (is_ascii(text) || !is_utf8(text)) return;
  marks_.reserve(text.size() / step + 1);
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at <= text.size(); at += step) {
    marks_.push_back(sum);
    sum += units(text.substr(at, step));
  }
}

std::uint32_t Utf16Units::before(std::string_view text, std::uint32_t byte) const {
  if (marks_.empty()) return byte;
  const std::size_t end = std::min<std::size_t>(byte, text.size()), mark = end / step;
  return marks_[mark] + units(text.substr(mark * step, end - mark * step));
}

}  // namespace frx
