// Numbers as profilers print them under a user's locale.
//
//   1,234.56      C and English          (point)
//   1.234,56      German, Spanish        (comma)
//   23 982 976    Swedish text pages     (comma; space groups, plain, no-break or narrow)
//
// One file holds one convention. NumberEvidence collects what the values of a file prove; a file whose
// values prove both is ambiguous and is refused, because guessing would be wrong by a factor of 1000.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace frx {

enum class NumberStyle : std::uint8_t {
  point,  // 1,234.56
  comma,  // 1.234,56 and 1 234,56
};

// nullopt for anything that is not wholly one number: "", "n/a", "Low (1)", "1,23" under `point`
// (a group has three digits). "nan" and "inf" are also nullopt: they are not measurements.
std::optional<double> parse_number(std::string_view text, NumberStyle style);

class NumberEvidence {
 public:
  void look_at(std::string_view text);

  bool proves_point() const { return point_ > 0; }
  bool proves_comma() const { return comma_ > 0; }
  bool is_contradictory() const { return proves_point() && proves_comma(); }
  // `point` unless the values prove otherwise: it is what the tools print under the C locale.
  NumberStyle style() const { return proves_comma() && !proves_point() ? NumberStyle::comma : NumberStyle::point; }

 private:
  std::uint64_t point_ = 0;
  std::uint64_t comma_ = 0;
};

}  // namespace frx
