#include "history/series_name.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.h"

namespace frx::history {
namespace {

constexpr std::size_t longest_part = 80;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string slug(std::string_view text) {
  std::string result;
  for (const char c : to_lower(text)) {
    const bool stays = is_digit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == '_' || c == '-';
    if (stays || (!result.empty() && result.back() != '-')) result += stays ? c : '-';
  }
  const std::size_t end = result.find_last_not_of("-._");
  result.resize(std::min(end == result.npos ? 0 : end + 1, longest_part));
  return result;
}

// The file without folder and endings: "model.pt.trace.json.gz" is "model". A dot between digits belongs to a number.
std::string_view stem(std::string_view path) {
  const std::string_view name = file_name_in(path);
  for (std::size_t at = name.find('.', 1); at != name.npos; at = name.find('.', at + 1)) {
    if (at + 1 == name.size() || !is_digit(name[at + 1])) return name.substr(0, at);
  }
  return name;
}

// Of the digits of a name those that stand for a date or a time: eight and more in a row (20260301, seconds since 1970).
constexpr std::size_t digits_of_date = 8;

bool is_separator(char c) { return c == '-' || c == '_' || c == '.' || c == ':' || c == ' '; }

// "2026-03-01": how long it is at the begin of the text, else 0.
std::size_t written_date(std::string_view text) {
  constexpr std::string_view pattern = "0000-00-00";
  if (text.size() < pattern.size()) return 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '0' ? !is_digit(text[i]) : text[i] != '-' && text[i] != '_') return 0;
  }
  return pattern.size();
}

std::string without_dates(std::string_view text) {
  std::string result;
  bool was_date = false;
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::size_t date = written_date(text);
    if (date > 0 || digits >= digits_of_date || (was_date && (digits == 6 || digits == 4))) {
      text.remove_prefix(date > 0 ? date : digits);
      if (text.starts_with('T') || text.starts_with('t')) text.remove_prefix(1);
      was_date = true;
      continue;
    }
    if (was_date && is_separator(text.front()) && text.size() > 1 && is_digit(text[1])) {  // a time behind the date
      text.remove_prefix(1);
      continue;
    }
    was_date = false;
    result += text.substr(0, std::max<std::size_t>(digits, 1));
    text.remove_prefix(std::max<std::size_t>(digits, 1));
  }
  return result;
}

}  // namespace

std::string series_name(std::string_view kind, std::string_view subject, std::string_view gpu) {
  std::string what = slug(without_dates(stem(subject)));
  while (!what.empty() && is_separator(what.front())) what.erase(0, 1);
  if (what.empty()) what = slug(file_name_in(subject));
  if (what.empty()) what = "unnamed";
  const std::string device = slug(gpu);
  return std::string(kind) + "/" + what + (device.empty() ? "" : "/" + device);
}

}  // namespace frx::history
