// Rows of the tables of `nsys stats`, as text or CSV, into launches of kernels.
//
// Several tables may tell of the same launches: each kind is kept apart, and the one that tells most is used.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ingest/format.h"
#include "ingest/launch_table.h"
#include "ingest/nsys_stats/header.h"
#include "ingest/value_plan.h"

namespace frx::ingest::nsys_stats {

// How the note begins about tables that an analysis of kernels has no use for.
inline constexpr std::string_view unused_tables_note = "tables that say nothing about kernels are not used: ";

// What tables of one shape said.
struct Tally {
  explicit Tally(const knowledge::MetricCatalogue& metrics) : table(session, metrics), values(session, metrics, table) {}

  model::Session session;
  LaunchTable table;
  ValueReader values;
  std::string_view writing;  // "text" or "CSV"
  std::size_t tables = 0;
  std::unordered_set<std::string> cut_names;
  std::size_t joined_rows = 0;             // of summaries, by names that are cut off alike
  std::unordered_set<std::uint64_t> seen;  // hashes of whole summaries
  std::vector<model::NameTimes> rows;      // of summaries, each as it was printed
};

class Rows {
 public:
  using Fields = std::vector<std::string_view>;

  Rows(Input& input, model::Session& into) : input_(input), into_(into) {}

  // "cuda_api_sum": which report the next table is.
  void name_report(std::string_view id) { report_ = heading_ = id; }
  // "CUDA API Statistics": the same, of versions until 2022, whose reports have a heading beside their id.
  void name_table(std::string_view heading) { heading_ = heading; }
  // "X does not contain CUDA kernel data.": why a report has no table.
  void take_reason(std::string_view reason);
  void start_table(Header header, std::string_view writing);
  void end_table();
  bool in_table() const { return in_table_; }
  const Header& header() const { return header_; }
  // `fields` are those of one row, valid during the call; what is no row is left out.
  void take(const Fields& fields);
  // A line of a summary that holds nothing but the rest of a name.
  void continue_name(std::string_view rest);
  // A row that has other columns than the table: cut off.
  void take_misfit();
  // After the last line. Malformed when there was no kernel in any table.
  Result<> finish();

 private:
  struct SummaryRow {
    model::LaunchIdentity launch;
    std::uint64_t line = 0, launches = 0;
    int column = -1;  // of the time
    double time = 0;
    model::NameTimes printed;
  };

  std::string_view field(int column) const;
  NumberStyle style() const;
  Tally& tally() { return *tallies_[static_cast<std::size_t>(header_.shape)]; }
  model::LaunchIdentity identity(std::string_view name) const;
  std::optional<model::Dim3> dims(const std::array<int, 3>& columns, int text) const;
  void note_cut_name(const std::string& name);
  void take_launch();
  void take_summary_row();
  void take_other_row();
  model::NameTimes printed_row(std::string_view name, std::uint64_t calls) const;
  std::optional<double> time_in(int column) const;
  void write_summary();
  void write_other();
  void write(const SummaryRow& row);
  void take_value(model::Metric metric, int column, bool per_block);
  const ValuePlan& plan_of(model::Metric metric, int column, bool per_block);
  Failure no_kernels() const;
  void note_others(std::size_t chosen, NoteBook& notes) const;
  static void note_names(const Tally& used, NoteBook& notes);

  Input& input_;
  model::Session& into_;
  Header header_;
  bool in_table_ = false;
  bool rounds_memory_ = false;  // shared memory is in MB
  std::string report_, heading_;
  const Fields* fields_ = nullptr;
  std::array<std::unique_ptr<Tally>, 5> tallies_;  // by shape
  std::vector<SummaryRow> summary_;                // of the current table
  std::map<int, ValuePlan> plans_;                 // by column of the current table
  std::set<std::string> others_;                   // tables about something else, by name
  model::TimeTable other_;                         // the current table, where it is such a one
  std::vector<model::TimeTable> other_tables_;
  std::vector<std::string> reasons_;
};

}  // namespace frx::ingest::nsys_stats
