#include "ingest/text_table.h"

#include <algorithm>

#include "base/text.h"

namespace frx::ingest {

std::optional<TextTable> TextTable::from_dashes(std::string_view line) {
  while (line.ends_with(' ')) line.remove_suffix(1);
  TextTable table;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == ' ') {
      ++i;
      continue;
    }
    if (line[i] != '-') return std::nullopt;
    const std::size_t end = std::min(line.find_first_not_of('-', i), line.size());
    table.groups_.emplace_back(i, end);
    i = end;
  }
  // "-- -" may be anything; the tool draws at least five dashes.
  const bool long_enough =
      std::all_of(table.groups_.begin(), table.groups_.end(), [](const auto& group) { return group.second - group.first >= 5; });
  return table.groups_.size() >= 2 && long_enough ? std::optional(table) : std::nullopt;
}

std::optional<std::vector<std::string_view>> TextTable::cut(std::string_view line) const {
  while (line.ends_with(' ')) line.remove_suffix(1);
  if (trim(line).empty()) return std::nullopt;
  if (Cells cells = cut_at(line, [&](std::size_t column) { return std::min(column, line.size()); })) return cells;
  // No-break blanks between digits are several bytes and one character.
  const auto by_character = [&](std::size_t column) {
    std::size_t at = 0;
    while (at < line.size() && column > 0) {
      ++at;
      while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80) ++at;
      --column;
    }
    return at;
  };
  const bool plain = std::all_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!plain) {
    if (Cells cells = cut_at(line, by_character)) return cells;
  }
  return cut_at_blanks(line);
}

template <typename Position>
TextTable::Cells TextTable::cut_at(std::string_view line, Position position) const {
  const std::size_t end = position(groups_.back().second);
  if (end < line.size()) return std::nullopt;  // there is text to the right of the table
  std::vector<std::string_view> cells;
  std::size_t before = 0;
  for (const auto& [from, to] : groups_) {
    const std::size_t begin = position(from);
    // Only blanks between the columns, and left of the first.
    if (!trim(line.substr(before, begin - before)).empty()) return std::nullopt;
    before = position(to);
    cells.push_back(trim(line.substr(begin, before - begin)));
  }
  // A value ends where its column ends; text that happens to fit the columns does not.
  if (!cells.back().empty() && position(groups_.back().second - 1) >= line.size()) return std::nullopt;
  return cells;
}

// A label longer than its column pushes the others to the right: label, (unit), value with at least
// two blanks between them.
TextTable::Cells TextTable::cut_at_blanks(std::string_view line) const {
  if (line.size() <= groups_.back().second || columns() != 3) return std::nullopt;
  std::vector<std::string_view> parts;
  for (std::string_view rest = trim(line); !rest.empty();) {
    const std::size_t gap = rest.find("  ");
    parts.push_back(trim(rest.substr(0, gap)));
    rest = gap == rest.npos ? std::string_view() : trim(rest.substr(gap));
  }
  if (parts.size() == 2) return std::vector{parts[0], std::string_view(), parts[1]};
  return parts.size() == 3 ? std::optional(parts) : std::nullopt;
}

std::vector<std::string_view> cells_two_blanks_apart(std::string_view line) {
  std::vector<std::string_view> cells;
  line = trim(line);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find("  "), line.size());
    cells.push_back(line.substr(0, end));
    line = trim(line.substr(end));
  }
  return cells;
}

}  // namespace frx::ingest
