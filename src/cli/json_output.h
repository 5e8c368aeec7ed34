// The documented wrapper of --json: {"mode": ..., "result": ...}.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/io.h"

namespace frx::cli {

using Json = nlohmann::ordered_json;

// Two blanks of indentation, everything beyond ASCII escaped, invalid UTF-8 replaced.
std::string json_text(const Json& value);

void write_json(Io& io, std::string_view mode, Json result);

}  // namespace frx::cli
