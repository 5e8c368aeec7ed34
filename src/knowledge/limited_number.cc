#include "knowledge/limited_number.h"

#include <optional>

namespace frx::knowledge {

std::string place_in(const Value& map, std::string_view key) { return map[key] ? map[key].where() : map.where(); }

Result<double> limited_number(const Value& map, std::string_view key, double most) {
  const std::optional<double> number = map[key].number();
  if (number && *number >= 0 && *number <= most) return *number;
  return fail(ErrorKind::malformed, "expected {} as a number from 0 to {:g}", key, most).at(place_in(map, key));
}

}  // namespace frx::knowledge
