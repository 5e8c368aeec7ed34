#include "base/numbers.h"

#include <fast_float/fast_float.h>

#include <cmath>

#include "base/text.h"

namespace frx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes of a group separator at the start of `text`: plain space, no-break space, narrow no-break
// space, thin space, apostrophe (Swiss).
std::size_t space_group(std::string_view text) {
  if (text.starts_with(' ') || text.starts_with('\'')) return 1;
  if (text.starts_with("\xC2\xA0")) return 2;
  if (text.starts_with("\xE2\x80\xAF") || text.starts_with("\xE2\x80\x89")) return 3;
  return 0;
}

std::optional<double> to_double(const char* begin, const char* end) {
  double value = 0;
  const auto result = fast_float::from_chars(begin, end, value);
  if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

constexpr double powers_of_ten[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

// "1,234.56" with at most 15 digits: an integer below 2^53 divided by a power of ten is correctly rounded,
// so no general conversion is needed. Nine in ten values of a profile are like this.
std::optional<double> short_decimal(std::string_view text) {
  std::uint64_t digits = 0;
  unsigned count = 0, since_group = 0, decimals = 0;
  bool grouped = false, fraction = false;
  for (const char c : text) {
    if (is_digit(c)) {
      digits = digits * 10 + static_cast<unsigned>(c - '0');
      ++count;
      ++since_group;
      decimals += fraction;
    } else if (c == ',' && !fraction) {
      if (grouped ? since_group != 3 : since_group == 0 || since_group > 3) return std::nullopt;
      grouped = true;
      since_group = 0;
    } else if (c == '.' && !fraction) {
      if (grouped && since_group != 3) return std::nullopt;
      fraction = true;
    } else {
      return std::nullopt;
    }
  }
  if (count == 0 || count > 15 || (grouped && !fraction && since_group != 3)) return std::nullopt;
  return static_cast<double>(digits) / powers_of_ten[decimals];
}

}  // namespace

std::optional<double> parse_number(std::string_view text, NumberStyle style) {
  if (style == NumberStyle::point) {
    if (const std::optional<double> value = short_decimal(text)) return value;
  }
  text = trim(text);
  if (text.empty() || text.size() > 64) return std::nullopt;
  // Digits and one decimal point need no copy.
  const char group = style == NumberStyle::point ? ',' : '.';
  const char decimal = style == NumberStyle::point ? '.' : ',';
  if (style == NumberStyle::point && text.find_first_of(", '\xC2\xE2") == text.npos) {
    if (!is_digit(text[0]) && text[0] != '-' && text[0] != '.') return std::nullopt;
    return to_double(text.data(), text.data() + text.size());
  }
  char digits[72];
  std::size_t size = 0;
  std::size_t since_group = 0;
  bool grouped = false, fraction = false;
  if (text[0] == '-' || text[0] == '+') {
    if (text[0] == '-') digits[size++] = '-';
    text.remove_prefix(1);
  }
  while (!text.empty()) {
    const char c = text[0];
    if (is_digit(c)) {
      digits[size++] = c;
      ++since_group;
      text.remove_prefix(1);
      if (grouped && !fraction && since_group > 3) return std::nullopt;
      continue;
    }
    if ((c == 'e' || c == 'E') && since_group > 0) {
      digits[size++] = c;
      text.remove_prefix(1);
      if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        digits[size++] = text[0];
        text.remove_prefix(1);
      }
      fraction = true;  // no grouping in an exponent
      since_group = 0;
      continue;
    }
    if (fraction) return std::nullopt;
    const bool group_complete = grouped ? since_group == 3 : since_group > 0;
    if (c == decimal) {
      if (grouped && !group_complete) return std::nullopt;
      digits[size++] = '.';
      fraction = true;
      since_group = 0;
      text.remove_prefix(1);
      continue;
    }
    const std::size_t separator = c == group ? 1 : space_group(text);
    if (separator == 0 || !group_complete || (!grouped && since_group > 3)) return std::nullopt;
    grouped = true;
    since_group = 0;
    text.remove_prefix(separator);
  }
  if (size == 0 || (grouped && !fraction && since_group != 3)) return std::nullopt;
  return to_double(digits, digits + size);
}

void NumberEvidence::look_at(std::string_view text) {
  text = trim(text);
  const std::size_t point = text.rfind('.');
  const std::size_t comma = text.rfind(',');
  if (point == text.npos && comma == text.npos) return;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t size = is_digit(c) || c == '.' || c == ',' || c == '-' ? 1 : space_group(text.substr(i));
    if (size == 0) return;  // a name, a date, a size "(1, 1, 1)"
    i += size;
  }
  if (point != text.npos && comma != text.npos) {
    ++(point > comma ? point_ : comma_);
    return;
  }
  // One kind only: a separator that occurs once and is not followed by exactly three digits is
  // the decimal sign; "1,234" alone proves nothing; twice the same sign groups.
  const std::size_t last = point != text.npos ? point : comma;
  const char sign = text[last];
  const bool once = text.find(sign) == last;
  const std::size_t after = text.size() - last - 1;
  const bool leading_zero = once && (last == 1 || (last == 2 && text[0] == '-')) && text[last - 1] == '0';
  if (!once) {
    ++(sign == '.' ? comma_ : point_);
  } else if (after != 3 || leading_zero || last > 3 + (text[0] == '-' ? 1u : 0u)) {
    ++(sign == '.' ? point_ : comma_);
  }
}

}  // namespace frx
