#include "ingest/cubin/byte_reader.h"

namespace frx::ingest::cubin {

std::uint64_t ByteReader::number(std::size_t width) {
  const std::string_view bytes = take(width);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

std::uint64_t ByteReader::uleb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint64_t byte = u8();
    if (shift < 64) value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
}

std::int64_t ByteReader::sleb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;;) {
    const std::uint64_t byte = u8();
    if (shift < 64) value |= (byte & 0x7F) << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    if ((byte & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }
}

std::string_view ByteReader::take(std::uint64_t size) {
  if (size > bytes_.size() - at_) {
    give_up();
    return {};
  }
  const std::string_view taken = bytes_.substr(at_, size);
  at_ += size;
  return taken;
}

std::string_view ByteReader::text() {
  const std::size_t end = bytes_.find('\0', at_);
  if (end == bytes_.npos) {
    give_up();
    return {};
  }
  const std::string_view found = bytes_.substr(at_, end - at_);
  at_ = end + 1;
  return found;
}

std::string_view text_at(std::string_view table, std::uint64_t position) {
  constexpr std::size_t longest = 65536;
  if (position >= table.size()) return {};
  const std::string_view rest = table.substr(position, longest);
  const std::size_t end = rest.find('\0');
  return end == rest.npos ? std::string_view() : rest.substr(0, end);
}

}  // namespace frx::ingest::cubin
