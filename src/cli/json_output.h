// The documented wrapper of --json around what is no answer about files: {"mode": ..., "result": ...}.
#pragma once

#include <string_view>

#include "answer/json.h"
#include "cli/io.h"

namespace frx::cli {

using answer::Json;

// null where it is empty.
inline Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

void write_json(Io& io, std::string_view mode, Json result);

}  // namespace frx::cli
