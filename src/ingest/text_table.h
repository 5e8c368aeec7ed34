// Cells of a table drawn with dashes:
//
//     ------------------- --------------- --------------
//     Duration                    msecond     24 605,5
//
// The first column is left aligned, the others right aligned and possibly empty.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace frx::ingest {

// Cells that are two blanks apart and hold single blanks only, as titles do. Valid as long as `line`.
std::vector<std::string_view> cells_two_blanks_apart(std::string_view line);

class TextTable {
 public:
  // nullopt when the line is anything but two or more groups of dashes.
  static std::optional<TextTable> from_dashes(std::string_view line);

  std::size_t columns() const { return groups_.size(); }

  // One cell per column; nullopt when the line is not a row of this table. Valid as long as `line`.
  std::optional<std::vector<std::string_view>> cut(std::string_view line) const;

 private:
  using Cells = std::optional<std::vector<std::string_view>>;
  // `position(n)` is the byte at which the n-th column of characters begins.
  template <typename Position>
  Cells cut_at(std::string_view line, Position position) const;
  Cells cut_at_blanks(std::string_view line) const;

  std::vector<std::pair<std::size_t, std::size_t>> groups_;  // begin and end of each run of dashes
};

}  // namespace frx::ingest
