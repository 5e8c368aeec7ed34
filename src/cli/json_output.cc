#include "cli/json_output.h"

namespace frx::cli {

void write_json(Io& io, std::string_view mode, Json result) {
  Json wrapper;
  wrapper["mode"] = mode;
  wrapper["result"] = std::move(result);
  io.out.write(answer::json_text(wrapper));
}

}  // namespace frx::cli
