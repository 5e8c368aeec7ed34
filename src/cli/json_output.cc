#include "cli/json_output.h"

namespace frx::cli {

std::string json_text(const Json& value) { return value.dump(2, ' ', true, Json::error_handler_t::replace) + "\n"; }

void write_json(Io& io, std::string_view mode, Json result) {
  Json wrapper;
  wrapper["mode"] = mode;
  wrapper["result"] = std::move(result);
  io.out.write(json_text(wrapper));
}

}  // namespace frx::cli
