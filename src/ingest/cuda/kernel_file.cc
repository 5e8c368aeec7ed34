#include "ingest/cuda/kernel_file.h"

#include <algorithm>
#include <array>

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
  const std::size_t line = text.find_last_of('\n', at) + 1;  // npos + 1 is 0
  if (text.substr(line, at - line).find_first_of("'\"`") != text.npos) return false;
  std::size_t next = at + qualifier.size();
  if (next >= text.size() || blanks.find(text[next]) == blanks.npos) return false;
  std::size_t words = 0;
  while (true) {
    next = text.find_first_not_of(blanks, next);
    if (next == text.npos || !is_word(text[next])) break;
    while (next < text.size() && is_word(text[next])) ++next;
    ++words;
  }
  return words > 0 && next != text.npos && (text[next] == '(' || text[next] == '<' || text[next] == ':' || text[next] == '*');
}

// Where three of a sign in a row begin, with blanks between them perhaps (`<< <`, as some editors write); npos where there are none.
std::size_t find_bracket(std::string_view text, char sign, std::size_t from) {
  const std::array<char, 2> two{sign, sign};
  for (std::size_t at = from; (at = text.find(std::string_view(two.data(), two.size()), at)) != text.npos; ++at) {
    const bool is_first = at == 0 || text[at - 1] != sign;
    const std::size_t third = text.find_first_not_of(' ', at + 2);
    if (is_first && third != text.npos && text[third] == sign && (third + 1 == text.size() || text[third + 1] != sign)) return at;
  }
  return text.npos;
}

// Is it one of `scale<<<grid, block>>>(a)`?
bool begins_launch(std::string_view text, std::size_t bracket) {
  constexpr std::size_t longest = 2000;  // between the brackets
  const std::size_t line = text.find_last_of('\n', bracket) + 1;
  const std::string_view before = trim(text.substr(line, bracket - line));
  if (before.find_first_of("'\"`") != before.npos || before.starts_with("//") || before.starts_with('*')) return false;
  // The name may stand on the line before.
  const std::size_t last = text.substr(0, bracket).find_last_not_of(blanks);
  if (last == text.npos || !(is_word(text[last]) || text[last] == '>')) return false;
  const std::string_view inside = text.substr(bracket, longest);
  std::size_t end = find_bracket(inside, '>', 0);
  if (end == inside.npos || inside.substr(0, end).find(';') != inside.npos) return false;
  end = inside.find_first_not_of(">", inside.find_first_not_of(' ', end + 2));
  const std::size_t next = end == inside.npos ? end : inside.find_first_not_of(blanks, end);
  return next != inside.npos && inside[next] == '(';
}

bool launches_kernel(std::string_view text) {
  for (std::size_t at = find_bracket(text, '<', 0); at != text.npos; at = find_bracket(text, '<', at + 2)) {
    if (begins_launch(text, at)) return true;
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
