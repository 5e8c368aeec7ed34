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

}  // namespace

bool may_hold_kernels(std::string_view path) { return has_ending(path, headers) || has_ending(path, host_files); }

bool holds_kernels(std::string_view path, std::string_view text) {
  if (text.find(qualifier) == text.npos) return false;
  return has_ending(path, headers) || declares_kernel(text);
}

bool declares_kernel(std::string_view text) {
  for (std::size_t at = text.find(qualifier); at != text.npos; at = text.find(qualifier, at + 1)) {
    if (declares_kernel(text, at)) return true;
  }
  return false;
}

}  // namespace frx::ingest::cuda
