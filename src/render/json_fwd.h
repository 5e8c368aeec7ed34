// What a header needs to say "returns JSON". The library behind it takes seconds to compile: only what makes or reads a
// value includes render/json.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace frx::render {

using Json = nlohmann::ordered_json;
struct JsonInPieces;

}  // namespace frx::render
