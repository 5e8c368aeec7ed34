// Which column of an Nsight Compute table holds which value, found by name and never by position.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/metrics.h"
#include "model/session.h"

namespace frx::ingest {

// Indices into a record; -1 where the table has no such column.
struct NcuColumns {
  int id = -1, process_id = -1, process = -1, kernel = -1, block = -1, grid = -1, device = -1, cc = -1, stream = -1;
  int section = -1, metric = -1, unit = -1, value = -1, invocations = -1;
  int rule_name = -1, rule_type = -1, rule_text = -1, speedup_type = -1, speedup = -1;
  int last_identity = -1;   // the rightmost column that describes the launch
  std::vector<int> direct;  // columns that are metrics themselves
  std::size_t count = 0;

  bool is_tall() const { return metric >= 0 && value >= 0; }
  bool is_wide() const { return !is_tall() && !direct.empty(); }
};

// nullopt when the fields are not the header of a table of kernel metrics. A header with a kernel column and no known metric column is not
// such a header.
std::optional<NcuColumns> read_ncu_header(const std::vector<std::string_view>& fields, const knowledge::MetricCatalogue& metrics);

// "(32, 4, 1)" -> {32, 4, 1}.
std::optional<model::Dim3> parse_dim3(std::string_view text);
// "8.6" -> {8, 6}.
std::optional<model::ComputeCapability> parse_cc(std::string_view text);

// A header cell of handmade tables: "dram__bytes.sum (Mbyte)" -> name and unit.
struct NamedUnit {
  std::string_view name;
  std::string_view unit;
};
NamedUnit split_unit(std::string_view header);

}  // namespace frx::ingest
