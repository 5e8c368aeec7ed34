// --why FIELD: where one number, label, rule or recommendation of an analysis comes from.
#include "cli/analysis.h"
#include "cli/json_output.h"

namespace frx::cli {

Result<> expect_format_of_why(std::string_view command, std::string_view format) {
  if (format == "text" || format == "json") return {};
  return fail(ErrorKind::usage, "{}: --why prints text or json, not {}", command, format);
}

Result<int> tell_why(const std::string& story, const std::string& field, std::string_view format, Io& io) {
  if (format == "json") {
    write_json(io, "why", {{"field", field}, {"text", story}});
  } else {
    io.out.write(story);
  }
  return 0;
}

}  // namespace frx::cli
