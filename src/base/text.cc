#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace frx {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::string to_upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return result;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  if (part.empty()) return true;
  const char first = lower(part.front());
  part.remove_prefix(1);
  for (; text.size() > part.size(); text.remove_prefix(1)) {
    if (lower(text.front()) == first && equals_ignoring_case(text.substr(1, part.size()), part)) return true;
  }
  return false;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  parts.reserve(static_cast<std::size_t>(std::ranges::count(text, separator)) + 1);
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

std::string join_with_and(std::span<const std::string> parts) {
  if (parts.size() < 2) return join(parts, "");
  return join(parts.first(parts.size() - 1), ", ") + " and " + parts.back();
}

std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80                   ? 1
                           : lead >= 0xC2 && lead < 0xE0 ? 2
                           : lead >= 0xE0 && lead < 0xF0 ? 3
                           : lead >= 0xF0 && lead < 0xF5 ? 4
                                                         : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  if (size == 3) {
    const auto second = static_cast<unsigned char>(text[1]);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0)) return 0;  // overlong, surrogate
  }
  if (size == 4) {
    const auto second = static_cast<unsigned char>(text[1]);
    if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90)) return 0;
  }
  return size;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = utf8_length(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::size_t end_of_cells(std::string_view text, std::size_t cells) {
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (!is_continuation(text[end]) && seen++ == cells) break;
  }
  return end;
}

std::string clip(std::string_view text, std::size_t width) {
  if (end_of_cells(text, width) == text.size()) return std::string(text);  // of a long line the begin decides
  if (width <= 3) return std::string(width, '.');
  return std::string(trim(text.substr(0, end_of_cells(text, width - 3)))) + "...";
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t cells = display_width(text);
  return std::string(text) + std::string(cells < width ? width - cells : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t cells = display_width(text);
  return std::string(cells < width ? width - cells : 0, ' ') + std::string(text);
}

std::string shorten(std::string_view text, std::size_t width) {
  if (end_of_cells(text, width) == text.size()) return std::string(text);  // of a long line the begin decides
  if (width <= 3) return std::string(width, '.');
  const std::size_t keep_front = (width - 3) - (width - 3) / 3;
  const std::size_t keep_back = (width - 3) / 3;
  const std::size_t front = end_of_cells(text, keep_front);
  std::size_t back = text.size();
  for (std::size_t cells = 0; cells < keep_back && back > 0;) {
    if (!is_continuation(text[--back])) ++cells;
  }
  return std::string(text.substr(0, front)) + "..." + std::string(text.substr(back));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (true) {
    text = trim(text);
    if (text.empty()) break;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
    text.remove_prefix(end);
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string_view file_name_in(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == path.npos ? path : path.substr(slash + 1);
}

std::string shell_quote(std::string_view argument) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
  };
  if (!argument.empty() && std::all_of(argument.begin(), argument.end(), plain)) return std::string(argument);
  std::string quoted = "'";
  for (const char c : argument) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string readable_symbol(std::string_view symbol) {
  std::string_view rest = symbol;
  if (!rest.starts_with("_Z")) return std::string(symbol);
  rest.remove_prefix(2);
  const bool nested = rest.starts_with('N');
  while (!rest.empty() && std::string_view("NLVKrRO").find(rest.front()) != rest.npos) rest.remove_prefix(1);
  std::string name;
  for (bool more = true; more; more = nested) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    const auto digits = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc() || size > rest.size() - digits) break;
    const std::string_view part = rest.substr(digits, size);
    if (!part.starts_with("_GLOBAL__N_")) name += (name.empty() ? "" : "::") + std::string(part);  // the unnamed namespace
    rest.remove_prefix(digits + size);
  }
  return name.empty() ? std::string(symbol) : name;
}

}  // namespace frx
