// Little-endian numbers and texts from bytes that may end too early.
//
// A read beyond the end gives 0 or "", moves to the end and makes ok() false permanently, so that a caller
// may read a whole record and check once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace frx::ingest::cubin {

class ByteReader {
 public:
  // Reads from `position` on; positions count from the begin of `bytes`, whatever part of a section it is.
  explicit ByteReader(std::string_view bytes, std::size_t position = 0) : bytes_(bytes), at_(position) {
    if (position > bytes.size()) give_up();
  }

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t position() const { return at_; }

  // A number of `width` bytes, 1 to 8.
  std::uint64_t number(std::size_t width);
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }

  // Variable-length numbers (LEB128), seven bits in each byte; bits beyond the 64th are lost.
  std::uint64_t uleb();
  std::int64_t sleb();

  // The next `size` bytes.
  std::string_view take(std::uint64_t size);
  // Up to a zero byte, which is consumed and not part of the text.
  std::string_view text();

 private:
  void give_up() {
    ok_ = false;
    at_ = bytes_.size();
  }

  std::string_view bytes_;
  std::size_t at_;
  bool ok_ = true;
};

// The text that begins at `position` of a table of zero-terminated ones; "" when there is none, or one so
// long that it is no name (a table without zero bytes would otherwise be searched for each of its users).
std::string_view text_at(std::string_view table, std::uint64_t position);

}  // namespace frx::ingest::cubin
