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

}  // namespace

// Eight bytes at a time: keys and names are too short for wider steps.
bool is_plain_json(std::string_view text) {
  std::uint64_t special = 0, word = 0;
  std::size_t at = 0;
  for (; at + sizeof(word) <= text.size(); at += sizeof(word)) {
    std::memcpy(&word, text.data() + at, sizeof(word));
    special |= special_bytes(word);
  }
  if (at == text.size()) return special == 0;
  word = 0x2020202020202020;
  std::memcpy(&word, text.data() + at, text.size() - at);
  return (special | special_bytes(word)) == 0;
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
  const double scale = std::pow(10.0, digits);
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
