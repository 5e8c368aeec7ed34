#include "compose/markdown.h"

#include <algorithm>

#include "base/text.h"

namespace frx::compose {

std::string markdown_text(std::string_view text) {
  constexpr std::string_view special = "\\`*_[]<|~#";
  std::string result;
  for (const char c : printable(text)) {
    if (special.find(c) != special.npos || (c == '>' && result.empty())) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string markdown_code(std::string_view text) {
  if (text.empty()) return "";
  std::string inside;
  std::size_t longest = 0, run = 0;
  for (const char c : printable(text)) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    if (c == '|') inside += '\\';  // a table is cut into cells before code is looked for
    inside += c == '\n' ? ' ' : c;
  }
  const std::string fence(longest + 1, '`');
  const std::string_view gap = longest > 0 ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, gap, inside, gap, fence);
}

std::string markdown_row(std::initializer_list<std::string> cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += fmt::format(" {} |", cell);
  return row + "\n";
}

std::string markdown_head(std::initializer_list<std::string> cells, bool numbers) {
  std::string rule = "|---|";
  for (std::size_t i = 1; i < cells.size(); ++i) rule += numbers ? "---:|" : "---|";
  return markdown_row(cells) + rule + "\n";
}

}  // namespace frx::compose
