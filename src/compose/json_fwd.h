// What a header needs to say "returns JSON". The library behind it takes seconds to compile: only what makes or reads a
// value includes render/json.h.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace frx::compose {

using Json = nlohmann::ordered_json;
struct JsonInPieces;
// Takes the next part of a text.
using JsonSink = std::function<void(std::string_view)>;

}  // namespace frx::compose
