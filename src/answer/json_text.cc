// Text and numbers as JSON, appended to what is being written.
#include "answer/json.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "answer/json_object.h"

namespace frx::answer {
namespace {

// Nothing in it has to be escaped. Without a way out in the middle, so that the compiler takes many characters at a time.
bool is_plain(std::string_view text) {
  unsigned char others = 0;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    others |= static_cast<unsigned char>((u < ' ') | (u > '~') | (u == '"') | (u == '\\'));
  }
  return others == 0;
}

}  // namespace

void append_json_text(std::string& into, std::string_view text) {
  if (!is_plain(text)) {
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
