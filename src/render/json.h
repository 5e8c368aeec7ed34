// JSON as we print it: two blanks of indentation, everything beyond ASCII escaped, invalid UTF-8
// replaced, never NaN or Infinity (a number that is none is null).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace frx::render {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& value);

// An empty object with room for `members`. Without room every growth of an object copies all that is in
// it, down to the last leaf, because members with constant keys cannot be moved.
Json object_for(std::size_t members);

// null when absent; rounded to `digits` decimals, as people read them.
Json number(std::optional<double> value, int digits = 4);

// The value, null when absent.
template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// null when empty.
inline Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace frx::render
