// Members of JSON files that other programs may have written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace frx::report {

// "" where the member is absent or no text, or there is no object.
inline std::string text_of(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

}  // namespace frx::report
