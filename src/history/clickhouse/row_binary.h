// Rows in ClickHouse's format RowBinary, which keeps every bit of a number and any byte of a text: what is inserted, and what a query
// answers. The columns and their types are those of the query; the format itself names none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frx::history::clickhouse {

struct RowWriter {
  RowWriter& text(std::string_view value);                     // String
  RowWriter& id(std::string_view hexadecimal);                 // FixedString(32): 64 hexadecimal digits
  RowWriter& integer(std::int64_t value);                      // Int64
  RowWriter& natural(std::uint64_t value);                     // UInt64
  RowWriter& flag(bool value);                                 // UInt8
  RowWriter& real(double value);                               // Float64
  RowWriter& maybe(const std::optional<double>& value);        // Nullable(Float64)
  RowWriter& maybe(const std::optional<std::int64_t>& value);  // Nullable(Int64)

  std::string bytes;
};

// Of bytes that are not trusted: what does not fit leaves ok() false, and every value read from then on is empty.
class RowReader {
 public:
  explicit RowReader(std::string_view bytes) : rest_(bytes) {}

  bool more() const { return ok_ && !rest_.empty(); }
  bool ok() const { return ok_; }

  std::string text();
  std::string id();  // in hexadecimal digits
  std::int64_t integer() { return static_cast<std::int64_t>(natural()); }
  std::uint64_t natural();
  double real();
  std::optional<double> maybe_real();
  std::optional<std::int64_t> maybe_integer();

 private:
  std::string_view take(std::uint64_t count);
  bool is_null();

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace frx::history::clickhouse
