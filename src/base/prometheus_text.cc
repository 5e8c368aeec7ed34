#include "base/prometheus_text.h"

#include <fmt/format.h>

#include "base/safe_text.h"
#include "base/text.h"

namespace frx {

void describe_metric(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

std::string label_value(std::string_view text) {
  constexpr std::size_t longest = 120;
  std::string quoted = "\"";
  for (const char c : shorten(printable(text), longest)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace frx
