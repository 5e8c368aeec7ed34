// docs/contract.md as the tests read it: the rows of the tables below its numbered headings.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "meta/repository.h"

namespace frx::testing {

using Row = std::vector<std::string>;  // cells, without the blanks around them
using Names = std::set<std::string>;

inline std::string contract() { return content(repository() / "docs/contract.md"); }

// The text below the heading that begins with "## N. " or "### N.M ", up to the next heading.
inline std::string contract_section(std::string_view number) {
  const std::string text = contract();
  const std::string heading = number.find('.') == number.npos ? "\n## " + std::string(number) + ". " : "\n### " + std::string(number) + " ";
  const std::size_t begin = text.find(heading);
  if (begin == text.npos) return "";
  const std::size_t end = text.find("\n##", begin + heading.size());
  return text.substr(begin, end == text.npos ? end : end - begin);
}

// Rows of all tables of a section whose header has `columns` columns; headers and rulers are left out.
inline std::vector<Row> contract_rows(std::string_view number, std::size_t columns) {
  std::vector<Row> rows;
  const std::string section = contract_section(number);
  bool in_table = false;
  for (const std::string_view line : split(section, '\n')) {
    if (!line.starts_with("| ") && !line.starts_with("|-")) {
      in_table = false;
      continue;
    }
    Row row;
    for (const std::string_view cell : split(line.substr(1, line.rfind('|') - 1), '|')) row.emplace_back(trim(cell));
    const bool is_ruler = line.starts_with("|-");
    if (in_table && !is_ruler && row.size() == columns) rows.push_back(std::move(row));
    in_table = true;
  }
  return rows;
}

// The words in backticks of a cell.
inline std::vector<std::string> names_in(std::string_view cell) {
  std::vector<std::string> words;
  for (std::size_t at = cell.find('`'); at != cell.npos; at = cell.find('`', at)) {
    const std::size_t end = cell.find('`', at + 1);
    if (end == cell.npos) break;
    words.emplace_back(cell.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return words;
}

inline bool is_planned(const Row& row) { return row[0].find("(planned)") != std::string::npos; }

// What the first cells name, without what is planned.
inline Names contract_names(std::string_view number, std::size_t columns) {
  Names names;
  for (const Row& row : contract_rows(number, columns)) {
    if (!is_planned(row) && !names_in(row[0]).empty()) names.insert(names_in(row[0])[0]);
  }
  return names;
}

}  // namespace frx::testing
