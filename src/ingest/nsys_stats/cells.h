// Cells of the tables that `nsys stats` prints, and the numbers in them.
//
//     Time (%)  Total Time (ns)  Instances  ...                Name
//     --------  ---------------  ---------       --------------------------
//        100.0   25,610,621,473          1       add(int, float *, float *)
//
// The dashes say where columns are; titles and names are at any place in them, numbers at the right, and cells may be empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "model/session.h"

namespace frx::ingest::nsys_stats {

class Columns {
 public:
  // nullopt when the line is anything but two or more groups of dashes.
  static std::optional<Columns> from_dashes(std::string_view line);

  std::size_t size() const { return groups_.size(); }
  // One cell per column, the last with the rest of the line; nullopt when text stands between columns. Valid as long as `line`.
  std::optional<std::vector<std::string_view>> cut(std::string_view line) const;

 private:
  std::vector<std::pair<std::size_t, std::size_t>> groups_;  // in characters
};

// "", "-" and "None".
bool is_absent(std::string_view text);
// nullopt for what is no number. Groups of digits may have two to four digits, as the locale of the machine has them: "44,0087,8248".
std::optional<double> number_in(std::string_view text, NumberStyle style);
// A whole number from 1 to `largest`.
std::optional<std::uint64_t> count_in(std::string_view text, NumberStyle style, std::uint64_t largest);
// "16 16 1".
std::optional<model::Dim3> dims_in(std::string_view text);

}  // namespace frx::ingest::nsys_stats
