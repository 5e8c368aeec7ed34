// Members of JSON files that other programs may have written.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace frx::report {

// "" where the member is absent or no text, or there is no object.
template <typename AnyJson>  // nlohmann::json, or ordered_json
std::string text_of(const AnyJson& object, const char* key) {
  if (!object.is_object()) return {};
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->template get<std::string>() : std::string();
}

// Nothing where the member is absent or no number.
inline std::optional<double> number_of(const nlohmann::json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

// nullptr where the member is absent or no object, or there is none that it could be of.
inline const nlohmann::json* object_in(const nlohmann::json* object, const char* key) {
  if (!object || !object->is_object()) return nullptr;
  const auto at = object->find(key);
  return at != object->end() && at->is_object() ? &*at : nullptr;
}

// Sums of fewer than four of them fit 64 bits.
inline constexpr std::int64_t largest_whole = std::int64_t{1} << 61;

// Nothing where the member is absent, no number, or larger. A fraction is cut.
inline std::optional<std::int64_t> whole_of(const nlohmann::json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number()) return std::nullopt;
  const auto value = at->get<double>();
  if (!(std::abs(value) < static_cast<double>(largest_whole))) return std::nullopt;
  return at->is_number_integer() ? at->get<std::int64_t>() : static_cast<std::int64_t>(value);
}

}  // namespace frx::report
