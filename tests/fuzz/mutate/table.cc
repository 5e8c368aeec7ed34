// Lines of cells: rows, columns and cells are repeated, moved, taken out and exchanged; cells become other numbers.
#include <algorithm>
#include <vector>

#include "fuzz/mutate/changes.h"

namespace frx::fuzz {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  bool quoted = false;
  std::string part;
  for (const char c : text) {
    quoted ^= c == '"' && separator != '\n';
    if (c == separator && !quoted) {
      parts.push_back(std::move(part));
      part.clear();
    } else {
      part += c;
    }
  }
  parts.push_back(std::move(part));
  return parts;
}

std::string join(const std::vector<std::string>& parts, char separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? std::string(1, separator) : "") + parts[i];
  return text;
}

// One part is repeated, taken out, exchanged with another, or put elsewhere once more.
void change_order(std::vector<std::string>& parts, Changes& changes) {
  const auto at = [&] { return parts.begin() + static_cast<std::ptrdiff_t>(changes.below(parts.size())); };
  const auto here = at();
  const std::string part = *here;
  switch (changes.below(4)) {
    case 0: parts.insert(here, changes.times(part.size() + 1), part); break;
    case 1: parts.erase(here); break;
    case 2: std::iter_swap(here, at()); break;
    default: parts.insert(at(), part);
  }
}

std::string another_cell(const std::string& cell, const std::vector<std::string>& lines, char separator, Changes& changes) {
  const bool quoted = cell.starts_with('"');
  const auto number = [&] { return (changes.one_in(4) ? "-" : "") + std::to_string(changes.number()); };
  std::string text;
  switch (changes.below(8)) {
    case 0: break;
    case 1: text = number(); break;
    case 2: text = number() + "." + std::to_string(changes.below(1000)); break;
    case 3:
      text = std::to_string(changes.below(1000)) + "," + std::to_string(changes.below(1000)) + (changes.one_in(2) ? ",00" : "");
      break;
    case 4: text = number() + "e" + std::to_string(changes.below(400)); break;
    case 5: text = changes.one_in(2) ? "nan" : "inf"; break;
    case 6: {
      text = cell;
      changes.change(text);
      return text;
    }
    default: {
      const std::vector<std::string> others = split(lines[changes.below(lines.size())], separator);
      return others[changes.below(others.size())];
    }
  }
  return quoted ? '"' + text + '"' : text;
}

void change_column(std::vector<std::string>& lines, char separator, Changes& changes) {
  const std::size_t column = changes.below(split(lines.front(), separator).size()), other = changes.below(column + 2);
  const std::size_t kind = changes.below(3);
  for (std::string& line : lines) {
    std::vector<std::string> cells = split(line, separator);
    if (std::max(column, other) >= cells.size()) continue;
    if (kind == 0) cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(column));
    if (kind == 1) std::swap(cells[column], cells[other]);
    if (kind == 2) cells.push_back(cells[column]);
    line = join(cells, separator);
  }
}

void change_cell(std::vector<std::string>& lines, char separator, Changes& changes) {
  std::string& line = lines[changes.below(lines.size())];
  std::vector<std::string> cells = split(line, separator);
  if (changes.one_in(4)) {
    change_order(cells, changes);
  } else {
    std::string& cell = cells[changes.below(cells.size())];
    cell = another_cell(cell, lines, separator, changes);
  }
  line = join(cells, separator);
}

}  // namespace

void mutate_table(std::string& bytes, Changes& changes) {
  const char separator = ",;\t "[bytes.find(',') != std::string::npos ? 0 : changes.below(4)];
  std::vector<std::string> lines = split(bytes, '\n');
  for (std::size_t left = 1 + changes.below(3); left > 0 && !lines.empty(); --left) {
    switch (changes.below(6)) {
      case 0:
      case 1: change_order(lines, changes); break;
      case 2: change_column(lines, separator, changes); break;
      default: change_cell(lines, separator, changes);
    }
  }
  bytes = join(lines, '\n');
}

}  // namespace frx::fuzz
