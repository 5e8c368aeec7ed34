// Rows of nvprof's tables, whichever way they are written (CSV, text), into launches.
//
// A front end gives cells by column: first the titles of a table in the spelling of the CSV, then its rows. What the tables
// are is told at nvprof_csv.cc.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/format.h"
#include "ingest/launch_table.h"
#include "ingest/value_plan.h"

namespace frx::ingest {

struct NvprofHeader {
  enum class Shape { metrics, trace, summary, no_kernels };

  Shape shape = Shape::no_kernels;
  std::string_view what;  // shown in messages, when it holds no kernels
  int name = -1, device = -1, type = -1, time = -1, calls = -1, metric = -1, average = -1, duration = -1;
  int registers = -1, static_shared = -1, dynamic_shared = -1;
  std::array<int, 3> grid{-1, -1, -1}, block{-1, -1, -1};
  std::vector<int> counters;       // columns that may be metrics themselves
  std::vector<std::string> names;  // without their units
  std::vector<std::string> units;  // of the header, then of the row of units

  // nullopt when these are not the titles of a table of nvprof.
  static std::optional<NvprofHeader> of(const std::vector<std::string_view>& titles);
};

// "GeForce GTX 970 (0)" -> the name and 0.
std::optional<std::pair<std::string_view, int>> read_device(std::string_view text);

class NvprofRows {
 public:
  using Fields = std::vector<std::string_view>;

  NvprofRows(Input& input, model::Session& session);

  enum class Units { in_cells, in_cells_or_first_row };
  void start_table(NvprofHeader header, Units units);
  const NvprofHeader& header() const { return header_; }
  // `GeForce GTX 970 (0)`, where it stands apart from the rows.
  void name_device(std::string_view text);
  // "==99== API calls:" and the like: what the tool says between its tables.
  void take_tool_line(std::string_view line);
  // `fields` are those of one row, valid during the call.
  void take(const Fields& fields);
  // After the last row. Malformed when there was no kernel in any table.
  Result<> finish();

  NoteBook& notes() { return values_.notes(); }

 private:
  Failure no_kernels() const;
  std::string_view field(int column) const;
  std::string_view unit_of(int column) const;
  bool take_units();
  model::LaunchIdentity identity();
  std::optional<model::Dim3> dims(const std::array<int, 3>& columns) const;
  void take_metric();
  void take_launch();
  void take_summary();
  void take_column(model::Metric metric, int column);
  void take_per_block(model::Metric metric, int column);
  void take_value(std::optional<model::Metric> metric, std::string_view name, std::string_view text, std::string_view unit);
  const ValuePlan& plan_of(std::optional<model::Metric> metric, std::string_view name, std::string_view unit);

  Input& input_;
  model::Session& session_;
  LaunchTable table_;
  ValueReader values_;
  NvprofHeader header_;
  bool expect_units_ = false;
  bool api_calls_ = false;
  int runs_ = 0;
  const Fields* fields_ = nullptr;
  std::unordered_map<std::string, ValuePlan> plans_;
};

}  // namespace frx::ingest
