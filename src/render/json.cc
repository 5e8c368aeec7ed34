#include "render/json.h"

#include <cmath>

namespace frx::render {

std::string json_text(const Json& value) {
  return value.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

Json object_for(std::size_t members) {
  Json object = Json::object();
  object.get_ref<Json::object_t&>().reserve(members);
  return object;
}

Json number(std::optional<double> value, int digits) {
  if (!value || !std::isfinite(*value)) return nullptr;
  const double scale = std::pow(10.0, digits);
  const double rounded = std::abs(*value) < 1e15 / scale ? std::round(*value * scale) / scale : *value;
  // Whole numbers print as such: 256, not 256.0.
  if (std::abs(rounded) < 9e15 && rounded == std::floor(rounded) && digits == 0) return static_cast<std::int64_t>(rounded);
  return rounded == 0 ? 0.0 : rounded;
}

}  // namespace frx::render
