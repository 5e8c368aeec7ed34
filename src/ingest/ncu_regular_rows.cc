#include <algorithm>
#include <cmath>

#include "ingest/ncu_table.h"

namespace frx::ingest {

// Rows that were read by a layout, as far as it is still that of the table. The others are left to take_lines().
Result<> NcuTable::take_rows(std::string_view text, const NcuLayout& layout, const NcuRows& read) {
  if (layout.table != tables_) return {};
  same_launch_as_last_ = false;
  std::uint64_t line_number = lines_.line_number();
  const std::vector<NcuRow>& rows = read.rows;
  for (std::size_t i = 0; i < rows.size();) {
    lines_.go_to(rows[i].line.data(), line_number);
    std::string_view line;
    if (rows[i].index != NcuRow::irregular && take_regular(layout, read, rows[i])) {
      ++line_number;
      ++i;
      continue;
    }
    lines_.next(line);
    TRY(take_record(line));
    if (!unended_.empty() || layout.table != tables_) return {};
    same_launch_as_last_ = false;
    line_number = lines_.line_number();
    while (i < rows.size() && rows[i].line.data() < lines_.at()) ++i;
  }
  lines_.go_to(text.data() + text.size(), line_number);
  return {};
}

bool NcuTable::take_regular(const NcuLayout& layout, const NcuRows& rows, const NcuRow& row) {
  const std::uint64_t line = lines_.line_number() + 1;
  if (!columns_.is_tall()) return take_regular_wide(layout, rows, row, line), true;
  const ValuePlan& plan = layout.middles[row.index].plan;
  if (plan.kind == ValuePlan::Kind::device_name) return false;
  same_launch_as_last_ = same_launch_as_last_ || row.line.substr(0, row.launch_size) == prefix_;
  if (!same_launch_as_last_) return false;
  ++at_in_sequence_;
  if (plan.has_value()) values_.take_number(plan, row.value, line);
  return true;
}

void NcuTable::take_regular_wide(const NcuLayout& layout, const NcuRows& rows, const NcuRow& row, std::uint64_t line) {
  const auto first = rows.fields.begin() + static_cast<std::ptrdiff_t>(row.index * layout.first_number);
  fields_.assign(first, first + static_cast<std::ptrdiff_t>(layout.first_number));
  move_to_wide_launch(line);
  const double* const numbers = rows.numbers.data() + row.index * layout.uses.size();
  const std::string_view* text = rows.texts.data() + row.index * layout.uses_as_text();
  for (std::size_t i = 0; i < wide_plans_.size(); ++i) {
    const ValuePlan& plan = wide_plans_[i];
    if (plan.kind == ValuePlan::Kind::device_name) take_value(plan, *text++);
    if (!plan.has_value()) continue;
    const double number = numbers[static_cast<std::size_t>(columns_.direct[i]) - layout.first_number];
    if (!std::isnan(number)) {
      values_.take_number(plan, number, line);
    } else if (plan.kind == ValuePlan::Kind::reading) {
      table_.set_absent();
    }
  }
}

std::shared_ptr<NcuLayout> NcuTable::layout_of_table() const {
  auto layout = std::make_shared<NcuLayout>();
  layout->table = tables_;
  layout->columns = columns_;
  if (columns_.kernel >= 0) layout->kernel_heading = header_[static_cast<std::size_t>(columns_.kernel)];
  return layout;
}

// Null where metrics stand among the columns that describe the launch.
std::shared_ptr<const NcuLayout> NcuTable::wide_layout() const {
  if (expect_units_ || columns_.direct.empty() || columns_.last_identity >= columns_.direct.front()) return nullptr;
  std::shared_ptr<NcuLayout> layout = layout_of_table();
  layout->first_number = static_cast<std::size_t>(columns_.direct.front());
  layout->uses.resize(columns_.count - layout->first_number);
  for (std::size_t i = 0; i < wide_plans_.size(); ++i) {
    using Use = NcuLayout::Use;
    const ValuePlan::Kind kind = wide_plans_[i].kind;
    layout->uses[static_cast<std::size_t>(columns_.direct[i]) - layout->first_number] = kind == ValuePlan::Kind::reading ? Use::reading
                                                                                        : kind == ValuePlan::Kind::other ? Use::other
                                                                                        : kind == ValuePlan::Kind::device_name
                                                                                            ? Use::text
                                                                                            : Use::nothing;
  }
  return layout;
}

// Null where a row does not begin with all that describes its launch, or the value does not stand behind its name and unit.
std::shared_ptr<const NcuLayout> NcuTable::tall_layout() const {
  const bool is_usual = columns_.id >= 0 && quoted_ && direct_plans_.empty() && first_column_after_identity() > columns_.last_identity &&
                        columns_.value > columns_.metric && columns_.value > columns_.unit;
  if (!is_usual || sequence_.empty()) return nullptr;
  std::shared_ptr<NcuLayout> layout = layout_of_table();
  layout->last_of_launch = first_column_after_identity() - 1;
  for (const auto* known : sequence_) {
    const bool is_one_line = known->first.find('\n') == known->first.npos;
    layout->middles.push_back({is_one_line ? known->first : std::string(), known->second.plan});
  }
  return layout;
}

// Anew for each table, and now and then when the rows of its launches came in another order.
std::shared_ptr<const NcuLayout> NcuTable::news() {
  constexpr std::size_t pieces_between = 16;
  const bool is_new = table_of_layout_ != tables_;
  const bool has_changed = sequence_has_changed_ && pieces_since_layout_ >= pieces_between;
  if (!style_settled_ || style_ != NumberStyle::point || (!is_new && !has_changed)) return nullptr;
  std::shared_ptr<const NcuLayout> layout = columns_.is_tall() ? tall_layout() : wide_layout();
  if (!layout) return nullptr;
  table_of_layout_ = tables_;
  sequence_has_changed_ = false;
  pieces_since_layout_ = 0;
  return layout;
}

}  // namespace frx::ingest
