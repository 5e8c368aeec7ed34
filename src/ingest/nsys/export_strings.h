// The texts of an export, which other tables name by number.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/nsys/database.h"
#include "model/timeline.h"

namespace frx::ingest::nsys {

class ExportStrings {
 public:
  explicit ExportStrings(model::Timeline& timeline) : timeline_(timeline) {}
  Result<TableEnd> read(const Database& database);

  // "" where there is no such text.
  std::string_view operator[](std::int64_t id) const;
  // Its number among the names of the timeline. `as`: what the text becomes there, which is asked once for each text.
  std::uint32_t name_of(std::int64_t id, std::string_view (*as)(std::string_view) = nullptr);

 private:
  static constexpr std::uint32_t unknown = 0xFFFFFFFF;
  std::size_t index_of(std::int64_t id) const;

  model::Timeline& timeline_;
  std::vector<char> letters_;
  std::vector<std::size_t> ends_;                          // of the texts in letters_
  std::vector<std::uint32_t> names_;                       // by text
  std::unordered_map<std::int64_t, std::uint32_t> index_;  // where numbers are not those of the rows
};

}  // namespace frx::ingest::nsys
