#include "history/json_in.h"

namespace frx::history {
namespace {

constexpr std::size_t deepest_json = 200;

std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

std::optional<answer::Json> json_in(std::string_view text) {
  if (depth_of(text) > deepest_json) return std::nullopt;
  answer::Json json = answer::Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

std::string json_line(const answer::Json& json) { return json.dump(-1, ' ', false, answer::Json::error_handler_t::replace); }

}  // namespace frx::history
