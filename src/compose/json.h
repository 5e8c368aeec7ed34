// JSON as we print it: two blanks of indentation, everything beyond ASCII escaped, invalid UTF-8
// replaced, never NaN or Infinity (a number that is none is null).
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compose/json_fwd.h"

// Made once, in json.cc, and not in every file that names them.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class std::vector<nlohmann::ordered_json>;

namespace frx::compose {

std::string json_text(const Json& value);

// An object some of whose members are long lists, made element by element: what is known of ten thousand kernels
// takes many times the room of its text.
struct JsonInPieces {
  struct List {
    std::string key;  // of a member of `object`
    std::size_t size = 0;
    std::function<Json(std::size_t)> element;  // asked from several threads
  };
  Json object;  // with something in the place of the lists
  std::vector<List> lists;
};
Json in_one_piece(const JsonInPieces& pieces);

// Hands over the same text as json_text() of {name: ..., value: the pieces in one}, one element at a time.
void write_json_text(const Json& head, std::string_view key, const JsonInPieces& pieces, const JsonSink& write);

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

}  // namespace frx::compose
