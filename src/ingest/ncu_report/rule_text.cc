#include "ingest/ncu_report/rule_text.h"

#include <algorithm>
#include <iterator>

namespace frx::ingest::nsight {
namespace {

struct Mark {
  std::string_view label;
  std::size_t size = 0;  // 0: no mark begins here
};

// "@KIND:TARGET:LABEL@" or, for addresses, "@url:LABEL:ADDRESS@".
Mark mark_at(std::string_view text) {
  for (const std::string_view kind : {"@section:", "@source:", "@metric:", "@url:"}) {
    if (!text.starts_with(kind)) continue;
    const std::size_t middle = text.find(':', kind.size());
    const std::size_t end = middle == text.npos ? text.npos : text.find('@', middle);
    if (end == text.npos) return {};
    const bool is_url = kind == "@url:";
    return {is_url ? text.substr(kind.size(), middle - kind.size()) : text.substr(middle + 1, end - middle - 1), end + 1};
  }
  return {};
}

// Errors of rules quote the path of their file. The end of "/home/kim", or 0 when `text` does not begin with a home.
std::size_t home_at(std::string_view text) {
  for (const std::string_view homes : {"/home/", "/Users/", "\\Users\\"}) {
    if (text.starts_with(homes)) return std::min(text.find_first_of("/\\", homes.size()), text.size());
  }
  return text.starts_with("/root/") ? 5 : 0;
}

std::string without_homes(std::string_view text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t home = home_at(text.substr(at));
    kept += home > 0 ? '~' : text[at];
    at += std::max<std::size_t>(home, 1);
  }
  return kept;
}

}  // namespace

std::string_view rule_type_text(std::uint64_t type) {
  constexpr std::string_view types[] = {"", "INF", "WRN", "ERR", "OPT"};
  return type < std::size(types) ? types[type] : "";
}

std::string plain_rule_text(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t at = text.find('@');
    plain += text.substr(0, at);
    if (at == text.npos) break;
    text.remove_prefix(at);
    const Mark mark = mark_at(text);
    plain += mark.size > 0 ? mark.label : text.substr(0, 1);
    text.remove_prefix(mark.size > 0 ? mark.size : 1);
  }
  const bool may_have_paths = plain.find('/') != plain.npos || plain.find('\\') != plain.npos;
  return may_have_paths ? without_homes(plain) : plain;
}

}  // namespace frx::ingest::nsight
