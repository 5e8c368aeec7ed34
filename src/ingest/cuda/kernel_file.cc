#include "ingest/cuda/kernel_file.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace frx::ingest::cuda {
namespace {

constexpr std::string_view qualifier = "__global__", blanks = " \t\r\n";
constexpr std::array<std::string_view, 12> headers{".h",   ".hh",  ".hpp", ".hxx", ".h++", ".inl",
                                                   ".inc", ".ipp", ".tcc", ".tpp", ".hip", ".cuinc"};
constexpr std::array<std::string_view, 4> host_files{".cc", ".cpp", ".cxx", ".c"};

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

template <std::size_t size>
bool has_ending(std::string_view path, const std::array<std::string_view, size>& endings) {
  const std::size_t dot = path.rfind('.');
  if (dot == path.npos) return false;
  const std::string ending = to_lower(path.substr(dot));
  return std::ranges::find(endings, ending) != endings.end();
}

bool declares_kernel(std::string_view text, std::size_t at) {
  constexpr std::size_t most_looked_back = 512, most_words = 32;
  const std::size_t from = at - std::min(at, most_looked_back), line = text.substr(from, at - from).rfind('\n');
  const std::size_t begin = line == text.npos ? from : from + line + 1;
  if (text.substr(begin, at - begin).find_first_of("'\"`") != text.npos) return false;
  std::size_t next = at + qualifier.size();
  if (next >= text.size() || blanks.find(text[next]) == blanks.npos) return false;
  std::size_t words = 0;
  for (; words < most_words; ++words) {
    next = text.find_first_not_of(blanks, next);
    if (next == text.npos || !is_word(text[next]) || text.substr(next).starts_with(qualifier)) break;
    while (next < text.size() && is_word(text[next])) ++next;
  }
  return words > 0 && next != text.npos && next < text.size() &&
         (text[next] == '(' || text[next] == '<' || text[next] == ':' || text[next] == '*');
}

// 1'000'000, and not L'a'
bool is_in_number(std::string_view text, std::size_t at) {
  constexpr std::size_t longest = 64;
  std::size_t first = at;
  while (first > 0 && at - first < longest && (is_word(text[first - 1]) || text[first - 1] == '\'')) --first;
  return first < at && text[first] >= '0' && text[first] <= '9';
}

// Behind a comment, a string or a character that begins at `at`; the same place where none does.
std::size_t behind_comment_or_text(std::string_view text, std::size_t at) {
  const auto behind = [&](std::string_view end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == text.npos ? text.size() : found + end.size();
  };
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  if (text[at] == '/' && next == '/') return behind("\n", at);
  if (text[at] == '/' && next == '*') return behind("*/", at + 2);
  if ((text[at] != '"' && text[at] != '\'') || (text[at] == '\'' && is_in_number(text, at))) return at;
  if (text[at] == '"' && at > 0 && text[at - 1] == 'R') {  // R"end( ... )end"
    const std::size_t open = text.find('(', at);
    if (open == text.npos || open - at > 17) return at + 1;
    return behind(fmt::format("){}\"", text.substr(at + 1, open - at - 1)), open);
  }
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

// Behind three of a sign, with blanks between them perhaps (`<< <`, as some editors write); npos where there are none, or more.
std::size_t behind_bracket(std::string_view text, char sign, std::size_t at) {
  if (at + 1 >= text.size() || text[at] != sign || text[at + 1] != sign) return text.npos;
  const std::size_t third = text.find_first_not_of(' ', at + 2);
  if (third == text.npos || text[third] != sign || (third + 1 < text.size() && text[third + 1] == sign)) return text.npos;
  return third + 1;
}

// From behind the `<<<` of scale<<<grid, block>>>(a): do its other bracket and the arguments follow?
bool goes_on_as_launch(std::string_view text, std::size_t at) {
  constexpr std::size_t longest = 2000;
  const std::size_t last = std::min(text.size(), at + longest);
  for (; at < last && text[at] != ';'; ++at) {
    const std::size_t behind = text[at] == '>' && text[at - 1] != '>' ? behind_bracket(text, '>', at) : text.npos;
    if (behind == text.npos) continue;
    const std::size_t next = text.find_first_not_of(blanks, behind);
    return next != text.npos && text[next] == '(';
  }
  return false;
}

// In code, not in its comments and texts.
bool launches_kernel(std::string_view text) {
  constexpr int most_tries = 64;
  if (text.find("<<") == text.npos) return false;
  char before = '\0';  // the last sign that is no blank
  int tries = 0;
  for (std::size_t at = 0; at < text.size() && tries < most_tries;) {
    const std::size_t behind = behind_comment_or_text(text, at);
    if (behind != at) {
      at = behind;
      continue;
    }
    const std::size_t inside = behind_bracket(text, '<', at);
    if (inside != text.npos && (is_word(before) || before == '>' || before == ']' || before == ')') && ++tries > 0 &&
        goes_on_as_launch(text, inside))
      return true;
    if (blanks.find(text[at]) == blanks.npos) before = text[at];
    ++at;
  }
  return false;
}

}  // namespace

bool may_hold_kernels(std::string_view path) { return has_ending(path, headers) || has_ending(path, host_files); }

bool holds_kernels(std::string_view path, std::string_view text) {
  const bool has_qualifier = text.find(qualifier) != text.npos;
  return (has_qualifier && (has_ending(path, headers) || declares_kernel(text))) || launches_kernel(text);
}

bool declares_kernel(std::string_view text) {
  for (std::size_t at = text.find(qualifier); at != text.npos; at = text.find(qualifier, at + 1)) {
    if (declares_kernel(text, at)) return true;
  }
  return false;
}

}  // namespace frx::ingest::cuda
