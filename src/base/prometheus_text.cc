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

void add_histogram(std::string& out, std::string_view name, std::string_view labels, std::span<const double> bounds,
                   std::span<const std::uint64_t> counts, double sum) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    count += counts[i];
    const std::string bound = i < bounds.size() ? fmt::format("{}", bounds[i]) : "+Inf";
    out += fmt::format("{}_bucket{{{},le=\"{}\"}} {}\n", name, labels, bound, count);
  }
  out += fmt::format("{0}_sum{{{1}}} {2}\n{0}_count{{{1}}} {3}\n", name, labels, sum, count);
}

}  // namespace frx
