#include "advise/kernel_filter.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.h"

namespace frx::advise {
namespace {

constexpr std::string_view operator_word = "operator";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

// Qualifiers without a name look like parameters or template arguments. Some versions of ncu lose the
// opening bracket of <unnamed>.
std::string without_unnamed(std::string_view name) {
  std::string text(name);
  for (const std::string_view part : {"(anonymous namespace)::", "<unnamed>::", "unnamed>::"}) {
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part)) text.erase(at, part.size());
  }
  return text;
}

// The text outside of <...>, up to the parameters.
std::string outer_part(std::string_view name) {
  std::string outer;
  int depth = 0;
  char before = 0;
  for (const char c : name) {
    const bool arrow = before == '-' && c == '>';
    before = c;
    if (arrow) continue;
    if (c == '(' && depth == 0 && !outer.empty()) break;
    if (c == '>' && depth > 0) {
      --depth;
      continue;
    }
    if (c == '<') ++depth;
    if (depth == 0) outer += c;
  }
  return outer;
}

std::string regex_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (!is_word(c) || c == '$') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string kernel_base_name(std::string_view name) {
  const std::string outer = outer_part(without_unnamed(trim(name)));
  std::string_view text = trim(outer);
  if (text.find(operator_word) != text.npos) return {};  // a name that no simple filter matches
  while (!text.empty() && !is_word(text.back())) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return std::string(text.substr(begin));
}

std::string kernel_filter(std::span<const std::string_view> names) {
  std::vector<std::string> parts;
  for (const std::string_view name : names) {
    const std::string base = regex_escaped(kernel_base_name(name));
    if (!base.empty() && std::find(parts.begin(), parts.end(), base) == parts.end()) parts.push_back(base);
  }
  if (parts.empty()) return {};
  return parts.size() == 1 ? "regex:^" + parts[0] + "$" : "regex:^(" + join(parts, "|") + ")$";
}

}  // namespace frx::advise
