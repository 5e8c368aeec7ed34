#include "render/style.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace frx::render {
namespace {

constexpr char glue = '\x01';  // printable text has no control characters, so it can stand for a blank

// "1.2 ms" and "37 %" stay on one line.
std::string with_glued_units(std::string_view text) {
  constexpr std::string_view units[] = {"%", "ns", "us", "ms", "s", "B", "KB", "MB", "GB", "GB/s", "TB/s", "GFLOP/s", "TFLOP/s"};
  std::string glued(text);
  for (std::size_t at = 1; at + 1 < glued.size(); ++at) {
    if (glued[at] != ' ' || glued[at - 1] < '0' || glued[at - 1] > '9') continue;
    const std::string_view rest = std::string_view(glued).substr(at + 1);
    const std::string_view word = rest.substr(0, rest.find_first_of(" ,;:.)"));
    if (std::find(std::begin(units), std::end(units), word) != std::end(units)) glued[at] = glue;
  }
  return glued;
}

}  // namespace

std::string paint(const Style& style, answer::Tone tone, std::string_view text) {
  if (!style.colour || tone == answer::Tone::plain || text.empty()) return std::string(text);
  constexpr std::array<std::string_view, 6> codes = {"0", "1", "2", "31", "33", "32"};
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<std::size_t>(tone)], text);
}

std::string_view badge(answer::Status status) {
  constexpr std::array<std::string_view, 4> badges = {"[!!]", "[ !]", "[ok]", "[--]"};
  return badges[static_cast<std::size_t>(status)];
}

std::vector<std::string> wrap_within(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 8);
  std::vector<std::string> lines;
  for (std::string& line : wrap(with_glued_units(text), width)) {
    std::replace(line.begin(), line.end(), glue, ' ');
    std::string_view rest = line;
    while (true) {
      std::size_t end = end_of_cells(rest, width);
      if (end == rest.size()) break;
      if (const std::size_t seam = rest.substr(0, end).find_last_of(",/"); seam != rest.npos && seam > end / 2) end = seam + 1;
      lines.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    lines.emplace_back(rest);
  }
  return lines;
}

}  // namespace frx::render
