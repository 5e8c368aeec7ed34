// The documented wrapper of --json: {"mode": ..., "result": ...}.
#pragma once

#include <string_view>

#include "cli/io.h"
#include "compose/json.h"

namespace frx::cli {

using compose::Json;

void write_json(Io& io, std::string_view mode, Json result);
void write_json_in_pieces(Io& io, std::string_view mode, const compose::JsonInPieces& result);

}  // namespace frx::cli
