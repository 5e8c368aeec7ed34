#include "base/pack.h"

namespace frx {

void put_fixed(std::string& bytes, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
}

void Packer::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

void Packer::put(std::string& text) {
  number(text.size());
  bytes += text;
}

std::uint64_t Unpacker::number() {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < left_.size() && i < 10; ++i) {
    const auto byte = static_cast<std::uint8_t>(left_[i]);
    if (i == 9 && byte > 1) break;  // more than 64 bits
    value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      left_.remove_prefix(i + 1);
      return value;
    }
  }
  refuse();
  return 0;
}

std::string_view Unpacker::text(std::uint64_t count) {
  if (count > left_.size()) {
    refuse();
    return {};
  }
  const std::string_view found = left_.substr(0, count);
  left_.remove_prefix(count);
  return found;
}

void Unpacker::get(std::string& value) { value = text(number()); }

std::uint64_t Unpacker::fixed() {
  const std::string_view found = text(8);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < found.size(); ++i) value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(found[i])) << (8 * i);
  return value;
}

}  // namespace frx
