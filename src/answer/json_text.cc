// Text and numbers as JSON, appended to what is being written.
#include "answer/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "answer/json_object.h"

namespace frx::answer {
namespace {

// The bytes of a word whose highest bit is set here have to be escaped: below ' ', above '~', a quote or a backslash.
std::uint64_t special_bytes(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101, highs = ones << 7;
  const auto zeros = [](std::uint64_t in) { return (in - ones) & ~in; };  // exact up to the first zero, which is all that is asked
  return (word | (word + ones) | (word - ones * ' ') | zeros(word ^ ones * '"') | zeros(word ^ ones * '\\')) & highs;
}

std::uint64_t word_at(const char* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// Of less than eight bytes.
bool is_short_and_plain(std::string_view text) {
  std::uint64_t word = 0x2020202020202020;
  for (std::size_t i = 0; i < text.size(); ++i) word = word << 8 | static_cast<unsigned char>(text[i]);
  return special_bytes(word) == 0;
}

constexpr std::array<double, 10> powers_of_ten = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

double power_of_ten(int digits) {
  const auto index = static_cast<std::size_t>(digits);
  return digits >= 0 && index < powers_of_ten.size() ? powers_of_ten[index] : std::pow(10.0, digits);
}

}  // namespace

// Sixteen bytes at a time. The last step of a text overlaps the one before it, so that none is left over.
bool is_plain_json(std::string_view text) {
  const char* const begin = text.data();
  const std::size_t size = text.size();
  if (size < sizeof(std::uint64_t)) return is_short_and_plain(text);
  if (size < 2 * sizeof(std::uint64_t)) return (special_bytes(word_at(begin)) | special_bytes(word_at(begin + size - 8))) == 0;
  const auto special_pair = [](const char* at) { return special_bytes(word_at(at)) | special_bytes(word_at(at + 8)); };
  std::uint64_t special = special_pair(begin + size - 16);
  for (std::size_t at = 0; at + 16 < size; at += 16) special |= special_pair(begin + at);
  return special == 0;
}

void append_json_text(std::string& into, std::string_view text) {
  if (!is_plain_json(text)) {
    into += Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
    return;
  }
  into += '"';
  into += text;
  into += '"';
}

void append_json_number(std::string& into, std::optional<double> value, int digits) {
  if (!value || !std::isfinite(*value)) {
    into += "null";
    return;
  }
  const double scale = power_of_ten(digits);
  double rounded = digits != all_digits && std::abs(*value) < 1e15 / scale ? std::round(*value * scale) / scale : *value;
  if (digits == 0 && std::abs(rounded) < 9e15 && rounded == std::floor(rounded)) {
    into += std::to_string(static_cast<std::int64_t>(rounded));
    return;
  }
  if (rounded == 0 && digits != all_digits) rounded = 0;  // never -0
  std::array<char, 64> buffer;
  into.append(buffer.data(), nlohmann::detail::to_chars(buffer.data(), buffer.data() + buffer.size(), rounded));
}

}  // namespace frx::answer
