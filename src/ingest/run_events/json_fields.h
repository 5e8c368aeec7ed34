// Members of untrusted JSON objects: of the requested kind, or absent.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/numbers.h"
#include "base/text.h"

namespace frx::ingest {

using Json = nlohmann::json;

// Numbers may be given as text; booleans are not numbers.
inline std::optional<double> number(const Json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (found->is_number()) return found->get<double>();
  return found->is_string() ? parse_number(found->get_ref<const std::string&>(), NumberStyle::point) : std::nullopt;
}

inline std::optional<std::int64_t> whole(const Json& object, const char* key) {
  const std::optional<double> value = number(object, key);
  if (!value || !(std::abs(*value) < 9e18)) return std::nullopt;
  const auto found = object.find(key);
  return found->is_number_integer() ? found->get<std::int64_t>() : static_cast<std::int64_t>(*value);
}

// A loss that is no number any more says so as text, since JSON has no such numbers: "nan", "inf", "-inf".
inline std::optional<double> loss_in(const Json& object) {
  if (const std::optional<double> finite = number(object, "loss")) return finite;
  const auto found = object.is_object() ? object.find("loss") : object.end();
  if (found == object.end() || !found->is_string()) return std::nullopt;
  const std::string word = to_lower(found->get_ref<const std::string&>());
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf" || word == "infinity") return std::numeric_limits<double>::infinity();
  if (word == "-inf" || word == "-infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

inline std::string text(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace frx::ingest
