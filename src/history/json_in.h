// A JSON text as a tree, and a tree as a text. Trees are walked by recursion, so one that nests too deeply would exhaust the stack.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "answer/json.h"

namespace frx::history {

// Absent for what is no JSON, or nests more than 200 deep.
std::optional<answer::Json> json_in(std::string_view text);

// On one line, without a line feed; bytes that are no UTF-8 are replaced.
std::string json_line(const answer::Json& json);

}  // namespace frx::history
