#include "ingest/utf8_source.h"

#include <algorithm>
#include <cstring>

namespace frx::ingest {
namespace {

constexpr std::size_t chunk = std::size_t{64} << 10;
constexpr std::size_t looked_at = 64;  // bytes without a byte order mark that tell the encoding
constexpr std::uint32_t replacement = 0xFFFD;

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

// The zeros are exactly where ASCII characters in units of so many bytes have them.
bool has_zeros_of(std::string_view bytes, std::uint32_t unit, bool is_big_endian) {
  const std::size_t size = std::min(bytes.size(), looked_at) / unit * unit;
  for (std::size_t i = 0; i < size; ++i) {
    const bool holds_character = i % unit == (is_big_endian ? unit - 1 : 0);
    if ((bytes[i] != 0) != holds_character) return false;
  }
  return size >= 2 * std::size_t{unit};
}

}  // namespace

Encoding encoding_of(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\xFF\xFE\0\0"sv)) return {4, false, 4};
  if (head.starts_with("\0\0\xFE\xFF"sv)) return {4, true, 4};
  if (head.starts_with("\xFF\xFE"sv)) return {2, false, 2};
  if (head.starts_with("\xFE\xFF"sv)) return {2, true, 2};
  for (const std::uint32_t unit : {4u, 2u}) {
    for (const bool is_big_endian : {false, true}) {
      if (has_zeros_of(head, unit, is_big_endian)) return {unit, is_big_endian, 0};
    }
  }
  return {};
}

std::uint32_t Utf8Source::unit_at(std::size_t i) const {
  std::uint32_t value = 0;
  for (std::size_t byte = 0; byte < encoding_.unit; ++byte) {
    const std::size_t place = encoding_.is_big_endian ? byte : encoding_.unit - 1 - byte;
    value = value << 8 | static_cast<unsigned char>(raw_[i + place]);
  }
  return value;
}

void Utf8Source::add(std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { text_ += static_cast<char>(byte); };
  if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) point = replacement;
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xC0 | point >> 6);
  } else {
    if (point < 0x10000) {
      put(0xE0 | point >> 12);
    } else {
      put(0xF0 | point >> 18);
      put(0x80 | (point >> 12 & 0x3F));
    }
    put(0x80 | (point >> 6 & 0x3F));
  }
  put(0x80 | (point & 0x3F));
}

// Reads a chunk and decodes it.
Result<> Utf8Source::decode() {
  text_.clear();
  given_ = 0;
  raw_.resize(kept_ + chunk);
  TRY_ASSIGN(const std::size_t got, source_.read(std::span(raw_).subspan(kept_)));
  at_end_ = got == 0;
  const std::size_t size = kept_ + got, unit = encoding_.unit;
  std::size_t i = is_started_ ? 0 : std::min<std::size_t>(encoding_.mark, size);
  is_started_ = true;
  for (; i + unit <= size; i += unit) {
    std::uint32_t point = unit_at(i);
    if (unit == 2 && is_high_surrogate(point)) {
      if (i + 4 > size && !at_end_) break;
      const std::uint32_t low = i + 4 <= size ? unit_at(i + 2) : 0;
      if (is_low_surrogate(low)) {
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        i += 2;
      }
    }
    add(point);
  }
  kept_ = size - i;
  if (at_end_ && kept_ > 0) {
    add(replacement);
    kept_ = 0;
  }
  std::memmove(raw_.data(), raw_.data() + i, kept_);
  return {};
}

Result<std::size_t> Utf8Source::read(std::span<char> buffer) {
  std::size_t done = 0;
  while (done < buffer.size()) {
    if (given_ == text_.size()) {
      if (at_end_) break;
      TRY(decode());
      continue;
    }
    const std::size_t size = std::min(buffer.size() - done, text_.size() - given_);
    std::memcpy(buffer.data() + done, text_.data() + given_, size);
    given_ += size;
    done += size;
  }
  return done;
}

}  // namespace frx::ingest
