#include "cli/json_output.h"

namespace frx::cli {

void write_json(Io& io, std::string_view mode, Json result) {
  Json wrapper;
  wrapper["mode"] = mode;
  wrapper["result"] = std::move(result);
  io.out.write(compose::json_text(wrapper));
}

void write_json_in_pieces(Io& io, std::string_view mode, const compose::JsonInPieces& result) {
  compose::write_json_text({{"mode", mode}}, "result", result, [&](std::string_view text) { io.out.write(text); });
}

}  // namespace frx::cli
