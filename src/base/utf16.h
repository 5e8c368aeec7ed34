// How far along a line a byte stands for editors, SARIF and language servers: they count UTF-16 code units, not bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace frx {

// One unit for a character, two for one beyond U+FFFF. A text that is not UTF-8 as a whole is
// taken for one of an older encoding with a byte per character.
class Utf16Units {
 public:
  Utf16Units() = default;
  explicit Utf16Units(std::string_view text);

  // Units of the characters that begin before this byte of `text`, which is the text that this was made for; in constant
  // time, whatever the length of its lines.
  std::uint32_t before(std::string_view text, std::uint32_t byte) const;
  // Every byte is one unit: `text` is not looked at.
  bool is_one_for_each_byte() const { return marks_.empty(); }

 private:
  std::vector<std::uint32_t> marks_;  // one for every `step` bytes; none when every byte is one unit
};

}  // namespace frx
