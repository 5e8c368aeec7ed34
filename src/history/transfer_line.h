// One line of an exported history, in either format.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "answer/json.h"
#include "history/record.h"
#include "history/store.h"

namespace frx::history {

// The columns of CSV and the members of NDJSON, in their order. `verdict`, `metric` and `value` are for readers; they are taken out of the
// document again.
inline constexpr std::array<std::string_view, 12> transfer_columns = {"kind",    "id",      "series", "at",    "commit", "program",
                                                                      "machine", "verdict", "metric", "value", "name",   "document"};

// Texts by column; "" where a line has none.
struct TransferLine {
  std::array<std::string, transfer_columns.size()> cells;
  std::string& operator[](std::string_view column);
  const std::string& operator[](std::string_view column) const;
};

TransferLine line_of(const Record& record);
TransferLine line_of(const Baseline& baseline);
TransferLine line_of(const RecordedPrediction& prediction);

// With the line end.
std::string ndjson_of(const TransferLine& line);
std::string csv_of(const TransferLine& line);
std::string csv_heading();

// What is wrong with it instead: "expected ...".
Result<TransferLine> line_in_ndjson(std::string_view text);
Result<TransferLine> line_in_csv(const std::vector<std::string_view>& fields, const std::vector<std::string>& heading);

}  // namespace frx::history
