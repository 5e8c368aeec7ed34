// Trees of JSON: for what is read back, and for values that are written as they are. Large results are written by
// answer/json_object.h, which has the same look.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Made once, in json.cc, and not in every file that names them.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class std::vector<nlohmann::ordered_json>;

namespace frx::answer {

using Json = nlohmann::ordered_json;

// Two blanks of indentation, everything beyond ASCII escaped, invalid UTF-8 replaced; a line feed at the end.
std::string json_text(const Json& value);

// null where it is absent.
template <typename Value>
Json json_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Whether nothing in it has to be escaped.
bool is_plain_json(std::string_view text);
// As they stand in a text, appended; a number rounded to `digits` decimals, as it is with answer::all_digits.
void append_json_text(std::string& into, std::string_view text);
void append_json_number(std::string& into, std::optional<double> value, int digits);

}  // namespace frx::answer
