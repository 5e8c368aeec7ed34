// The rows of an Nsight Compute table that are like those before, read without the reader of the table.
//
// The reader (ncu_csv.cc) works out once what the columns of a table mean, and which rows a launch has. That is a layout; with it pieces of
// the file are read on all cores. Rows that do not fit it are left to the reader, in their place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/ncu_columns.h"
#include "ingest/quoted_numbers.h"
#include "ingest/value_plan.h"

namespace frx::ingest {

struct NcuLayout {
  int table = 0;  // the table of the file that it describes
  NcuColumns columns;
  std::string kernel_heading;  // of the column of kernels; a row with it is another header

  // Wide tables: the columns from `first_number` on are read as numbers; what they are for.
  std::size_t first_number = 0;
  enum class Use : std::uint8_t { nothing, reading, other, text };
  std::vector<Use> uses;  // by column from `first_number` on
  std::size_t uses_as_text() const;

  // Tall tables: between the description of a launch and the value stand texts like `"Occupancy","Block Limit SM","block","`, usually in
  // this order. One that goes over several lines is "" here.
  struct Middle {
    std::string text;
    ValuePlan plan;
  };
  std::vector<Middle> middles;
  int last_of_launch = -1;  // the last column before the middle
};

struct NcuRow {
  static constexpr std::uint32_t irregular = 0xFFFFFFFF;

  std::string_view line;            // without its end
  std::uint32_t index = irregular;  // wide: of its numbers; tall: of its middle
  std::uint32_t launch_size = 0;    // tall: of the begin of the line, which describes the launch
  double value = 0;                 // tall
};

// The lines of a piece of the file.
struct NcuRows {
  std::vector<NcuRow> rows;
  // Wide tables, for each regular row: its numbers (NaN: absent), the fields before them, and those that are used as text.
  std::vector<double> numbers;
  std::vector<std::string_view> fields;
  std::vector<std::string_view> texts;

  void clear();
};

void read_wide_rows(const NcuLayout& layout, std::string_view text, NcuRows& into);
void read_tall_rows(const NcuLayout& layout, std::string_view text, NcuRows& into);

// Whether the text is a whole number of fewer than 20 digits, as the id of a launch.
bool is_launch_id(std::string_view text);

}  // namespace frx::ingest
