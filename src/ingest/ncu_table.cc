#include "ingest/ncu_table.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "ingest/csv.h"
#include "ingest/profile.h"

namespace frx::ingest {
namespace {

// Rows examined before the number style is settled, when none of them determines it.
constexpr std::size_t max_deferred_rows = 4000;
// A quoted field may span lines, but a stray quote must not swallow the file.
constexpr int max_joined_lines = 200;
constexpr std::size_t max_record = std::size_t{64} << 20;

}  // namespace

void NcuTable::begin(std::string_view header, std::uint64_t line_number) {
  split_csv(header, fields_);
  lines_.go_to(nullptr, line_number);
  start_table(*read_ncu_header(fields_, metrics_), header);
}

Result<> NcuTable::take_piece(std::string_view text, bool is_last, const NcuLayout* layout, const NcuRows& rows) {
  ++pieces_since_layout_;
  if (!unended_.empty()) {
    const std::string joined = std::exchange(unended_, {}).append(text);
    lines_.open(joined, is_last);
    return take_lines();
  }
  lines_.open(text, is_last);
  if (layout) TRY(take_rows(text, *layout, rows));
  return take_lines();
}

Result<> NcuTable::finish() {
  settle_style();
  TRY(values_.verdict());
  if (noise_ > 0) {
    values_.notes().add(first_noise_, fmt::format("{} lines are not rows of the table (program output?); skipped", noise_));
  }
  table_.finish();
  values_.finish();
  return {};
}

Result<> NcuTable::take_lines() {
  std::string_view line;
  while (unended_.empty() && lines_.next(line)) {
    if (style_settled_ && take_like_the_last(line)) continue;
    TRY(take_record(line));
  }
  return {};
}

// The line that lines_ just gave, and those that belong to it. A record that the piece does not end is kept for the next one.
Result<> NcuTable::take_record(std::string_view line) {
  const char* const begin = lines_.begin_of_line();
  const std::uint64_t before = lines_.line_number() - 1;
  goes_on_ = false;
  TRY(take(line));
  if (!goes_on_) return {};
  if (static_cast<std::size_t>(lines_.at() - begin) > max_record) {
    return fail(ErrorKind::malformed, "expected lines of at most 64 MB, found a longer one");
  }
  unended_.assign(begin, lines_.at());
  lines_.go_to(lines_.at(), before);
  return {};
}

void NcuTable::start_table(NcuColumns columns, std::string_view header) {
  columns_ = std::move(columns);
  quoted_ = header.starts_with('"');
  wide_plans_.clear();
  expect_units_ = !columns_.is_tall();
  header_.clear();
  for (const std::string_view field : fields_) header_.push_back(unquoted(field));
  prefix_.clear();
  middle_by_text_.clear();
  sequence_.clear();
  at_in_sequence_ = 0;
  ++tables_;
  counts_.clear();
  if (columns_.is_tall()) {
    direct_plans_.clear();
    for (const int column : columns_.direct) direct_plans_.push_back(plan_of_header(column, "", false));
  }
}

ValuePlan NcuTable::plan_of_header(int column, std::string_view unit, bool has_unit) {
  const std::string& name = header_[static_cast<std::size_t>(column)];
  const NamedUnit named = split_unit(name);
  const bool own_unit = !named.unit.empty();
  return values_.plan("", named.name, own_unit ? named.unit : unit, own_unit || has_unit, lines_.line_number());
}

Result<> NcuTable::take(std::string_view line, bool may_join) {
  if (line.empty()) return {};
  if (take_tool_line(line, session_)) return {};
  if (quoted_ && line[0] != '"') {
    // Program output without a line break may precede a row on its line.
    const std::size_t at = prefix_.empty() ? line.find('"') : line.find(prefix_);
    if (at == line.npos) return skip();
    line.remove_prefix(at);
  }
  int joined = 0;
  while (split_csv(line, fields_) == Split::open_quote) {
    if (!may_join) return skip();
    const bool more = lines_.extend(line);
    goes_on_ = !more && !lines_.is_last();
    if (goes_on_) return {};
    if (!more || ++joined > max_joined_lines) return take_apart(line);
  }
  if (is_header()) {
    if (const std::optional<NcuColumns> columns = read_ncu_header(fields_, metrics_)) {
      settle_style();
      split_csv(line, fields_);  // settling reused fields_ for the rows that waited
      start_table(*columns, line);
      return {};
    }
  }
  if (expect_units_ && take_units()) return {};
  if (!is_row()) return joined > 0 ? take_apart(line) : skip();
  if (!style_settled_) return defer(line);
  take_row(line);
  return {};
}

Result<> NcuTable::skip() {
  if (noise_++ == 0) first_noise_ = line_number();
  return {};
}

// A stray quote in program output joined lines that do not belong together: the first is noise, the others are read individually.
Result<> NcuTable::take_apart(std::string_view joined) {
  const std::vector<std::string_view> lines = split(joined, '\n');
  const std::uint64_t last = lines_.line_number();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    deferred_line_ = last - (lines.size() - 1 - i);
    const std::string_view line = lines[i].ends_with('\r') ? lines[i].substr(0, lines[i].size() - 1) : lines[i];
    TRY(i == 0 ? skip() : take(line, false));
  }
  deferred_line_ = 0;
  return {};
}

bool NcuTable::is_header() const {
  const int column = columns_.kernel;
  return column >= 0 && static_cast<std::size_t>(column) < fields_.size() &&
         fields_[static_cast<std::size_t>(column)] == header_[static_cast<std::size_t>(column)];
}

std::string_view NcuTable::field(int column) const {
  return column >= 0 && static_cast<std::size_t>(column) < fields_.size() ? fields_[static_cast<std::size_t>(column)] : std::string_view();
}

// The row under a wide header is the row of units exactly when it describes no launch: it names no kernel, or spreadsheets and scripts
// put a word in that place ("Units", "-"), and where a launch has numbers it has units.
bool NcuTable::take_units() {
  expect_units_ = false;
  const bool names_a_kernel = columns_.kernel >= 0 && !trim(field(columns_.kernel)).empty();
  const bool units =
      fields_.size() == columns_.count && (names_a_kernel ? cells_are_units() : columns_.kernel >= 0 || !first_cells_are_numbers());
  wide_plans_.resize(columns_.direct.size());
  for (std::size_t i = 0; i < columns_.direct.size(); ++i) {
    const int column = columns_.direct[i];
    wide_plans_[i] = plan_of_header(column, units ? field(column) : std::string_view(), units);
  }
  return units;
}

bool NcuTable::cells_are_units() const {
  bool any = false;
  for (const int column : columns_.direct) {
    const std::string_view text = trim(field(column));
    if (text.empty()) continue;
    if (is_absent_value(text) || !parse_unit(text)) return false;
    any = true;
  }
  return any;
}

bool NcuTable::first_cells_are_numbers() const {
  for (const int column : columns_.direct) {
    const char c = field(column).empty() ? ' ' : field(column)[0];
    if (c >= '0' && c <= '9') return true;
  }
  return false;
}

bool NcuTable::is_row() const {
  if (columns_.id >= 0 && !is_launch_id(field(columns_.id))) return false;
  if (columns_.kernel >= 0 && trim(field(columns_.kernel)).empty()) return false;
  if (columns_.is_wide()) return fields_.size() == columns_.count;
  return fields_.size() > static_cast<std::size_t>(columns_.metric);
}

Result<> NcuTable::defer(std::string_view line) {
  look_for_style();
  deferred_.emplace_back(line_number(), std::string(line));
  if (evidence_.proves_point() || evidence_.proves_comma() || deferred_.size() >= max_deferred_rows) settle_style();
  return {};
}

void NcuTable::look_for_style() {
  if (columns_.is_tall()) return evidence_.look_at(field(columns_.value));
  for (const int column : columns_.direct) evidence_.look_at(field(column));
}

void NcuTable::settle_style() {
  if (!style_settled_) {
    style_ = evidence_.style();
    style_settled_ = evidence_.proves_point() || evidence_.proves_comma() || deferred_.size() >= max_deferred_rows;
    if (style_ == NumberStyle::comma) values_.notes().add(0, "numbers are written with a decimal comma");
  }
  std::deque<std::pair<std::uint64_t, std::string>> rows;
  rows.swap(deferred_);
  for (const auto& [line_number, text] : rows) {
    deferred_line_ = line_number;
    split_csv(text, fields_);
    take_row(text);
  }
  deferred_line_ = 0;
}

std::uint64_t NcuTable::line_number() const { return deferred_line_ ? deferred_line_ : lines_.line_number(); }

}  // namespace frx::ingest
