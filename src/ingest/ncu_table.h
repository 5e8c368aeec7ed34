// The tables of one Nsight Compute CSV, record by record: what each row says of which launch (ncu_csv.cc shows the shapes).
//
// Rows like those before them may come read already (ncu_rows.h); all others are read here.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/result.h"
#include "ingest/format.h"
#include "ingest/launch_table.h"
#include "ingest/line_pieces.h"
#include "ingest/ncu_columns.h"
#include "ingest/ncu_rows.h"
#include "ingest/value_plan.h"

namespace frx::ingest {

class NcuTable {
 public:
  NcuTable(const knowledge::MetricCatalogue& metrics, model::Session& session)
      : metrics_(metrics), session_(session), table_(session, metrics), values_(session, metrics, table_) {}

  // The line that begins the first table, and its number.
  void begin(std::string_view header, std::uint64_t line_number);
  // The text behind it, in pieces of whole lines. `layout`: by which `rows` were read from this piece; null: they were not.
  Result<> take_piece(std::string_view text, bool is_last, const NcuLayout* layout, const NcuRows& rows);
  // How the next pieces may be read, when that is news; else null.
  std::shared_ptr<const NcuLayout> news();
  // After the last piece.
  Result<> finish();

  // The number of the last line that was taken.
  std::uint64_t lines() const { return lines_.line_number(); }

 private:
  // The meaning of a tall row, once its spelling was seen before.
  struct Middle {
    ValuePlan plan;
  };

  // Records (ncu_table.cc).
  Result<> take_lines();
  Result<> take_record(std::string_view line);
  Result<> take(std::string_view line, bool may_join = true);
  Result<> take_apart(std::string_view joined);
  Result<> skip();
  void start_table(NcuColumns columns, std::string_view header);
  bool is_header() const;
  bool is_row() const;
  bool take_units();
  bool cells_are_units() const;
  bool first_cells_are_numbers() const;
  Result<> defer(std::string_view line);
  void look_for_style();
  void settle_style();
  std::string_view field(int column) const;
  std::uint64_t line_number() const;
  ValuePlan plan_of_header(int column, std::string_view unit, bool has_unit);

  // Rows (ncu_table_rows.cc).
  void take_row(std::string_view line);
  void take_tall(std::string_view line);
  void take_wide();
  void take_rule();
  void take_value(const ValuePlan& plan, std::string_view text);
  bool take_like_the_last(std::string_view line);
  void remember_prefix(std::string_view line);
  int first_column_after_identity() const;
  const Middle& middle_of(std::string_view line, std::string_view name);
  model::LaunchIdentity identity() const;
  LaunchKey launch_key(const model::LaunchIdentity& launch);
  void move_to_launch();
  void move_to_wide_launch(std::uint64_t line);

  // Rows that were read by a layout (ncu_regular_rows.cc).
  Result<> take_rows(std::string_view text, const NcuLayout& layout, const NcuRows& rows);
  bool take_regular(const NcuLayout& layout, const NcuRows& rows, const NcuRow& row);
  void take_regular_wide(const NcuLayout& layout, const NcuRows& rows, const NcuRow& row, std::uint64_t line);
  std::shared_ptr<NcuLayout> layout_of_table() const;
  std::shared_ptr<const NcuLayout> wide_layout() const;
  std::shared_ptr<const NcuLayout> tall_layout() const;

  const knowledge::MetricCatalogue& metrics_;
  model::Session& session_;
  LaunchTable table_;
  ValueReader values_;

  LineWindow lines_;     // of the piece
  std::string unended_;  // the begin of a record that goes on in the next piece
  bool goes_on_ = false;

  NcuColumns columns_;
  std::vector<std::string> header_;
  bool quoted_ = true;
  int tables_ = 0;
  std::vector<std::string_view> fields_;

  NumberStyle style_ = NumberStyle::point;
  bool style_settled_ = false;
  NumberEvidence evidence_;
  std::deque<std::pair<std::uint64_t, std::string>> deferred_;
  std::uint64_t deferred_line_ = 0;

  std::string prefix_;
  bool same_launch_ = false;
  std::unordered_map<std::string, Middle> middle_by_text_;
  std::vector<const std::pair<const std::string, Middle>*> sequence_;
  std::size_t at_in_sequence_ = 0;
  std::unordered_map<std::string, std::uint64_t> counts_;

  bool expect_units_ = false;
  std::vector<ValuePlan> wide_plans_, direct_plans_;
  std::uint64_t noise_ = 0;
  std::uint64_t first_noise_ = 0;

  int table_of_layout_ = 0;  // that was made known last; 0: none
  std::size_t pieces_since_layout_ = 0;
  bool sequence_has_changed_ = false;
  bool same_launch_as_last_ = false;  // the last row was a regular one of the launch of prefix_
};

}  // namespace frx::ingest
