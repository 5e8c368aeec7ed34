// Numbers of the files of data, with a limit. Errors name file and line.
#pragma once

#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"

namespace frx::knowledge {

// Where a member is, or where the map is that lacks it.
std::string place_in(const Value& map, std::string_view key);
// From 0 to `most`.
Result<double> limited_number(const Value& map, std::string_view key, double most);

}  // namespace frx::knowledge
