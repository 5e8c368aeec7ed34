#include "history/clickhouse/row_binary.h"

#include <bit>

#include "base/pack.h"

namespace frx::history::clickhouse {
namespace {

constexpr std::size_t id_bytes = 32;
constexpr std::string_view digits = "0123456789abcdef";

unsigned digit(char c) {
  const std::size_t place = digits.find(c);
  return place == digits.npos ? 0 : static_cast<unsigned>(place);
}

}  // namespace

RowWriter& RowWriter::text(std::string_view value) {
  std::uint64_t size = value.size();
  for (; size >= 0x80; size >>= 7) bytes += static_cast<char>(0x80 | (size & 0x7f));
  bytes += static_cast<char>(size);
  bytes += value;
  return *this;
}

RowWriter& RowWriter::id(std::string_view hexadecimal) {
  for (std::size_t i = 0; i < id_bytes; ++i) {
    const bool is_there = 2 * i + 1 < hexadecimal.size();
    bytes += static_cast<char>(is_there ? digit(hexadecimal[2 * i]) << 4 | digit(hexadecimal[2 * i + 1]) : 0);
  }
  return *this;
}

RowWriter& RowWriter::integer(std::int64_t value) { return natural(static_cast<std::uint64_t>(value)); }

RowWriter& RowWriter::natural(std::uint64_t value) {
  put_fixed(bytes, value, 8);
  return *this;
}

RowWriter& RowWriter::flag(bool value) {
  bytes += value ? '\1' : '\0';
  return *this;
}

RowWriter& RowWriter::real(double value) { return natural(std::bit_cast<std::uint64_t>(value)); }

RowWriter& RowWriter::maybe(const std::optional<double>& value) {
  flag(!value);
  return value ? real(*value) : *this;
}

RowWriter& RowWriter::maybe(const std::optional<std::int64_t>& value) {
  flag(!value);
  return value ? integer(*value) : *this;
}

std::string_view RowReader::take(std::uint64_t count) {
  ok_ = ok_ && count <= rest_.size();
  if (!ok_) return {};
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

std::string RowReader::text() {
  std::uint64_t size = 0;
  for (int shift = 0;; shift += 7) {
    const std::string_view byte = take(1);
    if (byte.empty() || shift > 56) {
      ok_ = false;
      return {};
    }
    size |= static_cast<std::uint64_t>(byte[0] & 0x7f) << shift;
    if ((byte[0] & 0x80) == 0) break;
  }
  return std::string(take(size));
}

std::string RowReader::id() {
  std::string hexadecimal;
  for (const char c : take(id_bytes)) {
    hexadecimal += digits[static_cast<unsigned char>(c) >> 4];
    hexadecimal += digits[static_cast<unsigned char>(c) & 0xf];
  }
  return hexadecimal;
}

std::uint64_t RowReader::natural() {
  std::uint64_t value = 0;
  int shift = 0;
  for (const char c : take(8)) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(c)) << shift;
    shift += 8;
  }
  return value;
}

double RowReader::real() { return std::bit_cast<double>(natural()); }

bool RowReader::is_null() {
  const std::string_view byte = take(1);
  return byte.empty() || byte[0] != '\0';
}

std::optional<double> RowReader::maybe_real() {
  if (is_null()) return std::nullopt;
  return real();
}

std::optional<std::int64_t> RowReader::maybe_integer() {
  if (is_null()) return std::nullopt;
  return integer();
}

}  // namespace frx::history::clickhouse
