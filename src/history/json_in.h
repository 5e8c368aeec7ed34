// A JSON text as a tree. Trees are walked by recursion, so one that nests too deeply would exhaust the stack.
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
