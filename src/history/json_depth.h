// Whether a JSON text may be read into a tree: trees are walked by recursion, and texts of strangers nest without end.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "answer/json.h"

namespace frx::history {

inline constexpr std::size_t deepest_json = 200;

// Absent for what is no JSON, or nests deeper.
std::optional<answer::Json> json_in(std::string_view text);

}  // namespace frx::history
