// Nsight Compute CSV, in every shape its versions 2019 to 2026 write:
//
//   tall    one row per launch and metric: `ncu --csv` (details page) and `--csv --metrics ...`
//     "ID",...,"Kernel Name",...,"Section Name","Metric Name","Metric Unit","Metric Value"
//     "0",...,"axpy(float *)",...,"GPU Speed Of Light Throughput","Duration","us","1,234.56"
//   wide    one row per launch: `ncu --csv --page raw`, with a row of units under the header
//     "ID",...,"Kernel Name",...,"dram__bytes.sum","gpu__time_duration.sum"
//     "","",...,"","Mbyte","us"
//   summary `--print-summary per-kernel`: tall with Invocations, Minimum, Maximum, Average
//
// Irregularities in real files: metric rows shorter than their header; program output between rows; one unit per row; thousands and decimal
// signs of the user's locale; several runs in one file.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/in_order.h"
#include "base/text.h"
#include "base/units.h"
#include "ingest/csv.h"
#include "ingest/format.h"
#include "ingest/launch_table.h"
#include "ingest/line_pieces.h"
#include "ingest/ncu_columns.h"
#include "ingest/ncu_rows.h"
#include "ingest/profile.h"
#include "ingest/value_plan.h"

namespace frx::ingest {
namespace {

// Rows examined before the number style is settled, when none of them determines it.
constexpr std::size_t max_deferred_rows = 4000;
constexpr std::size_t max_rules = 5000;
// A quoted field may span lines, but a stray quote must not swallow the file.
constexpr int max_joined_lines = 200;
constexpr std::size_t max_record = std::size_t{64} << 20;

// Pieces of this size stay in the cache of a core, together with what is read from them.
constexpr std::size_t usual_piece = std::size_t{1} << 19;
constexpr std::size_t slots = 16;

class NcuCsv : public Pieces {
 public:
  NcuCsv(Input& input, model::Session& session, std::size_t piece_size)
      : input_(input),
        session_(session),
        table_(session, input.metrics),
        values_(session, input.metrics, table_),
        pieces_(input.lines.rest(), piece_size) {}

  Result<> read(std::string_view first) {
    split_csv(first, fields_);
    lines_.go_to(nullptr, input_.lines.line_number());
    start_table(*read_ncu_header(fields_, input_.metrics), first);
    const bool is_small = input_.lines.rest().at_end;
    take_in_order(is_small ? 2 : slots, *this);
    TRY(std::move(state_));
    input_.lines.count_rest(lines_.line_number() - input_.lines.line_number());
    settle_style();
    TRY(values_.verdict());
    if (noise_ > 0) {
      values_.notes().add(first_noise_, fmt::format("{} lines are not rows of the table (program output?); skipped", noise_));
    }
    table_.finish();
    values_.finish();
    return {};
  }

  bool read(std::size_t slot) override { return pieces_.next(held_[slot].piece); }

  void work(std::size_t slot) override {
    Held& held = held_[slot];
    {
      const std::lock_guard lock(publishing_);
      held.layout = layout_;
    }
    held.rows.clear();
    if (!held.layout || held.piece.failure) return;
    const bool is_tall = held.layout->columns.is_tall();
    (is_tall ? read_tall_rows : read_wide_rows)(*held.layout, held.piece.text(), held.rows);
  }

  bool take(std::size_t slot) override {
    state_ = take_piece(held_[slot]);
    return state_.has_value();
  }

 private:
  struct Held {
    LinePiece piece;
    std::shared_ptr<const NcuLayout> layout;  // by which the rows were read; null: they were not
    NcuRows rows;
  };

  Result<> take_piece(Held& held) {
    if (held.piece.failure) return Failure{std::move(*held.piece.failure)};
    std::string joined;
    if (unended_.empty()) {
      lines_.open(held.piece.text(), held.piece.is_last);
      if (held.layout) TRY(take_rows(held));
    } else {
      joined = std::exchange(unended_, {});
      joined += held.piece.text();
      lines_.open(joined, held.piece.is_last);
    }
    TRY(take_lines());
    publish_layout();
    if (input_.progress) input_.progress(held.piece.bytes_read);
    return {};
  }

  Result<> take_lines() {
    std::string_view line;
    while (unended_.empty() && lines_.next(line)) {
      if (style_settled_ && take_like_the_last(line)) continue;
      TRY(take_record(line));
    }
    return {};
  }

  // The line that lines_ just gave, and those that belong to it. A record that the piece does not end is kept for the next one.
  Result<> take_record(std::string_view line) {
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

  // Rows that were read by a layout, as far as it is still that of the table. The others are left to take_lines().
  Result<> take_rows(const Held& held) {
    if (held.layout->table != tables_) return {};
    same_launch_as_last_ = false;
    std::uint64_t line_number = lines_.line_number();
    const std::vector<NcuRow>& rows = held.rows.rows;
    for (std::size_t i = 0; i < rows.size();) {
      lines_.go_to(rows[i].line.data(), line_number);
      std::string_view line;
      if (rows[i].index != NcuRow::irregular && take_regular(held, rows[i])) {
        ++line_number;
        ++i;
        continue;
      }
      lines_.next(line);
      TRY(take_record(line));
      if (!unended_.empty() || held.layout->table != tables_) return {};
      same_launch_as_last_ = false;
      line_number = lines_.line_number();
      while (i < rows.size() && rows[i].line.data() < lines_.at()) ++i;
    }
    const std::string_view text = held.piece.text();
    lines_.go_to(text.data() + text.size(), line_number);
    return {};
  }

  bool take_regular(const Held& held, const NcuRow& row) {
    const std::uint64_t line = lines_.line_number() + 1;
    if (!columns_.is_tall()) return take_regular_wide(held, row, line), true;
    const ValuePlan& plan = held.layout->middles[row.index].plan;
    if (plan.kind == ValuePlan::Kind::device_name) return false;
    same_launch_as_last_ = same_launch_as_last_ || row.line.substr(0, row.launch_size) == prefix_;
    if (!same_launch_as_last_) return false;
    ++at_in_sequence_;
    if (plan.has_value()) values_.take_number(plan, row.value, line);
    return true;
  }

  void take_regular_wide(const Held& held, const NcuRow& row, std::uint64_t line) {
    const NcuLayout& layout = *held.layout;
    const auto first = held.rows.fields.begin() + static_cast<std::ptrdiff_t>(row.index * layout.first_number);
    fields_.assign(first, first + static_cast<std::ptrdiff_t>(layout.first_number));
    move_to_wide_launch(line);
    const double* const numbers = held.rows.numbers.data() + row.index * layout.uses.size();
    const std::string_view* text = held.rows.texts.data() + row.index * layout.uses_as_text();
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

  // Makes known how the next pieces are to be read: anew for each table, and now and then when its rows came in another order.
  void publish_layout() {
    constexpr std::size_t pieces_between = 16;
    ++pieces_since_layout_;
    const bool is_new = !layout_ || layout_->table != tables_;
    const bool has_changed = sequence_has_changed_ && pieces_since_layout_ >= pieces_between;
    if (!style_settled_ || style_ != NumberStyle::point || (!is_new && !has_changed)) return;
    std::shared_ptr<const NcuLayout> made = columns_.is_tall() ? tall_layout() : wide_layout();
    if (!made) return;
    sequence_has_changed_ = false;
    pieces_since_layout_ = 0;
    const std::lock_guard lock(publishing_);
    layout_ = std::move(made);
  }

  std::shared_ptr<NcuLayout> layout_of_table() const {
    auto layout = std::make_shared<NcuLayout>();
    layout->table = tables_;
    layout->columns = columns_;
    if (columns_.kernel >= 0) layout->kernel_heading = header_[static_cast<std::size_t>(columns_.kernel)];
    return layout;
  }

  // Null where metrics stand among the columns that describe the launch.
  std::shared_ptr<const NcuLayout> wide_layout() const {
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
  std::shared_ptr<const NcuLayout> tall_layout() const {
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

  // The meaning of a tall row, once its spelling was seen before.
  struct Middle {
    ValuePlan plan;
  };

  void start_table(NcuColumns columns, std::string_view header) {
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

  ValuePlan plan_of_header(int column, std::string_view unit, bool has_unit) {
    const std::string& name = header_[static_cast<std::size_t>(column)];
    const NamedUnit named = split_unit(name);
    const bool own_unit = !named.unit.empty();
    return values_.plan("", named.name, own_unit ? named.unit : unit, own_unit || has_unit, lines_.line_number());
  }

  // A row of the same launch as the last one, with a metric in the place where the last launch had it, needs two comparisons and one number
  // instead of splitting twenty fields. With this a 1 GB file takes about a second.
  bool take_like_the_last(std::string_view line) {
    if (prefix_.empty() || line.size() <= prefix_.size() || std::memcmp(line.data(), prefix_.data(), prefix_.size()) != 0) {
      return false;
    }
    const std::string_view rest = line.substr(prefix_.size());
    if (at_in_sequence_ >= sequence_.size()) return false;
    const auto& [text, plan] = *sequence_[at_in_sequence_];
    if (rest.size() <= text.size() || std::memcmp(rest.data(), text.data(), text.size()) != 0) return false;
    const char* const begin = rest.data() + text.size();
    const auto* end = static_cast<const char*>(std::memchr(begin, '"', rest.size() - text.size()));
    if (!end || end == begin) return false;  // an empty value: a rule row
    ++at_in_sequence_;
    values_.take(plan.plan, std::string_view(begin, static_cast<std::size_t>(end - begin)), style_, lines_.line_number());
    return true;
  }

  Result<> take(std::string_view line, bool may_join = true) {
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
      if (const std::optional<NcuColumns> columns = read_ncu_header(fields_, input_.metrics)) {
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

  Result<> skip() {
    if (noise_++ == 0) first_noise_ = line_number();
    return {};
  }

  // A stray quote in program output joined lines that do not belong together: the first is noise, the others are read individually.
  Result<> take_apart(std::string_view joined) {
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

  bool is_header() const {
    const int column = columns_.kernel;
    return column >= 0 && static_cast<std::size_t>(column) < fields_.size() &&
           fields_[static_cast<std::size_t>(column)] == header_[static_cast<std::size_t>(column)];
  }

  std::string_view field(int column) const {
    return column >= 0 && static_cast<std::size_t>(column) < fields_.size() ? fields_[static_cast<std::size_t>(column)]
                                                                            : std::string_view();
  }

  // The row under a wide header is the row of units exactly when it describes no launch: it names no kernel, or spreadsheets and scripts
  // put a word in that place ("Units", "-"), and where a launch has numbers it has units.
  bool take_units() {
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

  bool cells_are_units() const {
    bool any = false;
    for (const int column : columns_.direct) {
      const std::string_view text = trim(field(column));
      if (text.empty()) continue;
      if (is_absent_value(text) || !parse_unit(text)) return false;
      any = true;
    }
    return any;
  }

  bool first_cells_are_numbers() const {
    for (const int column : columns_.direct) {
      const char c = field(column).empty() ? ' ' : field(column)[0];
      if (c >= '0' && c <= '9') return true;
    }
    return false;
  }

  bool is_row() const {
    if (columns_.id >= 0 && !is_launch_id(field(columns_.id))) return false;
    if (columns_.kernel >= 0 && trim(field(columns_.kernel)).empty()) return false;
    if (columns_.is_wide()) return fields_.size() == columns_.count;
    return fields_.size() > static_cast<std::size_t>(columns_.metric);
  }

  Result<> defer(std::string_view line) {
    look_for_style();
    deferred_.emplace_back(line_number(), std::string(line));
    if (evidence_.proves_point() || evidence_.proves_comma() || deferred_.size() >= max_deferred_rows) settle_style();
    return {};
  }

  void look_for_style() {
    if (columns_.is_tall()) return evidence_.look_at(field(columns_.value));
    for (const int column : columns_.direct) evidence_.look_at(field(column));
  }

  void settle_style() {
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

  std::uint64_t line_number() const { return deferred_line_ ? deferred_line_ : lines_.line_number(); }

  void take_row(std::string_view line) { columns_.is_tall() ? take_tall(line) : take_wide(); }

  model::LaunchIdentity identity() const {
    model::LaunchIdentity launch;
    launch.kernel = columns_.kernel >= 0 ? unquoted(trim(field(columns_.kernel))) : std::string("(unnamed kernel)");
    launch.block = parse_dim3(field(columns_.block));
    launch.grid = parse_dim3(field(columns_.grid));
    launch.without_threads = launch.block && std::find(launch.block->begin(), launch.block->end(), 0u) != launch.block->end();
    if (launch.without_threads) {
      launch.grid.reset();
      launch.block.reset();
    }
    launch.cc = parse_cc(field(columns_.cc));
    int device = 0;
    const std::string_view text = field(columns_.device);
    if (is_launch_id(text) && std::from_chars(text.data(), text.data() + text.size(), device).ec == std::errc()) {
      launch.device = device;
    }
    std::uint64_t stream = 0;
    const std::string_view stream_text = field(columns_.stream);
    if (is_launch_id(stream_text) &&
        std::from_chars(stream_text.data(), stream_text.data() + stream_text.size(), stream).ec == std::errc()) {
      launch.stream = stream;
    }
    return launch;
  }

  // Unique per launch: the id within its process and its table, else the shape of a summary row,
  // else the n-th time this kernel is met.
  LaunchKey launch_key(const model::LaunchIdentity& launch) {
    const auto number = [](std::string_view text) {
      std::uint64_t value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    };
    if (columns_.id >= 0) {
      return {static_cast<std::uint64_t>(tables_) << 48 ^ number(field(columns_.process_id)), number(field(columns_.id))};
    }
    if (columns_.invocations >= 0) {
      return LaunchKey::of(fmt::format("{}/{}/{}/{}/{}/{}", tables_, launch.kernel, field(columns_.block), field(columns_.grid),
                                       field(columns_.device), field(columns_.invocations)));
    }
    return LaunchKey::of(fmt::format("{}/{}#{}", tables_, launch.kernel, counts_[launch.kernel]));
  }

  void move_to_launch() {
    model::LaunchIdentity launch = identity();
    if (launch.device && launch.cc) session_.devices[*launch.device].cc = launch.cc;
    const LaunchKey key = launch_key(launch);
    table_.at(key, launch, line_number());
    if (columns_.invocations >= 0) {
      std::uint64_t count = 1;
      const std::string_view text = field(columns_.invocations);
      std::from_chars(text.data(), text.data() + text.size(), count);
      table_.set_count(std::max<std::uint64_t>(count, 1));
    }
  }

  void take_tall(std::string_view line) {
    const std::string_view name = field(columns_.metric);
    const std::string_view value = field(columns_.value);
    if (name.empty()) return take_rule();
    remember_prefix(line);
    const bool anonymous = columns_.id < 0 && columns_.invocations < 0;
    if (!same_launch_) move_to_launch();
    const Middle& middle = middle_of(line, name);
    if (anonymous && middle.plan.kind == ValuePlan::Kind::reading && table_.has(middle.plan.column)) {
      // Without launch ids a metric that comes again belongs to the next launch of its kernel.
      ++counts_[unquoted(trim(field(columns_.kernel)))];
      move_to_launch();
    }
    for (std::size_t i = 0; i < direct_plans_.size(); ++i) {
      if (direct_plans_[i].kind == ValuePlan::Kind::reading && !table_.has(direct_plans_[i].column)) {
        values_.take(direct_plans_[i], field(columns_.direct[i]), style_, line_number());
      }
    }
    take_value(middle.plan, value);
  }

  void take_value(const ValuePlan& plan, std::string_view text) {
    if (plan.kind == ValuePlan::Kind::device_name) {
      if (is_absent_value(trim(text))) return;
      int device = 0;
      const std::string_view id = field(columns_.device);
      std::from_chars(id.data(), id.data() + id.size(), device);
      session_.devices[device].name = printable(unquoted(trim(text)));
      return;
    }
    values_.take(plan, text, style_, line_number());
  }

  // The part of the line that describes the launch, up to and with the comma before the first other
  // column. Usable when the layout puts all of it first, as the tool does.
  void remember_prefix(std::string_view line) {
    const int first_other = first_column_after_identity();
    if (columns_.id < 0 || !quoted_ || first_other <= columns_.last_identity) {
      same_launch_ = false;
      return;
    }
    const char* const other = fields_[static_cast<std::size_t>(first_other)].data() - 1;  // its opening quote
    const auto size = static_cast<std::size_t>(other - line.data());
    same_launch_ = size == prefix_.size() && std::memcmp(prefix_.data(), line.data(), size) == 0;
    if (same_launch_) return;
    prefix_.assign(line.data(), size);
    at_in_sequence_ = 0;
  }

  int first_column_after_identity() const {
    int first = columns_.metric;
    if (columns_.section >= 0) first = std::min(first, columns_.section);
    return first;
  }

  // Everything between the launch and the value: section, (item), metric, unit. Its meaning is worked
  // out once per spelling.
  const Middle& middle_of(std::string_view line, std::string_view name) {
    const auto make = [&] {
      return Middle{values_.plan(unquoted(trim(field(columns_.section))), unquoted(trim(name)), field(columns_.unit), columns_.unit >= 0,
                                 line_number())};
    };
    const std::size_t value_at = static_cast<std::size_t>(std::max(columns_.value, 0));
    const bool contiguous = !prefix_.empty() && columns_.value > columns_.metric && columns_.value > columns_.unit &&
                            value_at < fields_.size() && fields_[value_at].data() > line.data() && fields_[value_at].data()[-1] == '"' &&
                            line.size() > prefix_.size();
    if (!contiguous) {
      const std::string key = fmt::format("{}\x1f{}\x1f{}", field(columns_.section), name, field(columns_.unit));
      const auto known = middle_by_text_.find(key);
      return known != middle_by_text_.end() ? known->second : middle_by_text_.emplace(key, make()).first->second;
    }
    const char* const begin = line.data() + prefix_.size();
    const std::string key(begin, static_cast<std::size_t>(fields_[value_at].data() - begin));
    auto known = middle_by_text_.find(key);
    if (known == middle_by_text_.end()) known = middle_by_text_.emplace(key, make()).first;
    if (at_in_sequence_ < sequence_.size()) {
      sequence_has_changed_ |= std::exchange(sequence_[at_in_sequence_], &*known) != &*known;
    } else if (sequence_.size() < 4096) {
      sequence_has_changed_ = true;
      sequence_.push_back(&*known);
    }
    ++at_in_sequence_;
    return known->second;
  }

  void move_to_wide_launch(std::uint64_t line) {
    const model::LaunchIdentity launch = identity();
    if (launch.device && launch.cc) session_.devices[*launch.device].cc = launch.cc;
    if (columns_.id >= 0) {
      table_.at(launch_key(launch), launch, line);
    } else {
      table_.at_next(launch, line);
    }
  }

  void take_wide() {
    move_to_wide_launch(line_number());
    for (std::size_t i = 0; i < wide_plans_.size(); ++i) {
      const ValuePlan& plan = wide_plans_[i];
      if (plan.has_value()) {
        values_.take(plan, fields_[static_cast<std::size_t>(columns_.direct[i])], style_, line_number());
      } else if (plan.kind == ValuePlan::Kind::device_name) {
        take_value(plan, field(columns_.direct[i]));
      }
    }
  }

  void take_rule() {
    if (field(columns_.rule_name).empty()) return;
    if (columns_.id >= 0) move_to_launch();
    values_.take_quoted(unquoted(field(columns_.rule_text)), line_number());
    if (session_.rules.size() >= max_rules) return;
    model::ProfilerRule& rule = session_.rules.emplace_back();
    rule.kernel = unquoted(trim(field(columns_.kernel)));
    rule.section = unquoted(field(columns_.section));
    rule.name = unquoted(field(columns_.rule_name));
    rule.type = unquoted(field(columns_.rule_type));
    rule.text = printable(unquoted(field(columns_.rule_text)));
    rule.estimated_speedup_pct = parse_number(field(columns_.speedup), style_);
    rule.is_local_estimate = equals_ignoring_case(trim(unquoted(field(columns_.speedup_type))), "local");
    rule.line = line_number();
  }

  Input& input_;
  model::Session& session_;
  LaunchTable table_;
  ValueReader values_;

  LinePieces pieces_;
  std::array<Held, slots> held_;
  Result<> state_;
  LineWindow lines_;     // of the piece that is taken
  std::string unended_;  // the begin of a record that goes on in the next piece
  bool goes_on_ = false;
  std::mutex publishing_;  // of layout_
  std::shared_ptr<const NcuLayout> layout_;
  std::size_t pieces_since_layout_ = 0;
  bool sequence_has_changed_ = false;
  bool same_launch_as_last_ = false;

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
};

bool ncu_begins(std::string_view line, const knowledge::MetricCatalogue& metrics) {
  if (line.size() < 8 || line.find(',') == line.npos || line[0] == '{' || line[0] == '[') return false;  // JSON is no table
  // Cheap tests first: this is called for every line before the table.
  if (!contains_ignoring_case(line, "kernel") && !contains_ignoring_case(line, "name") && line.find("__") == line.npos) return false;
  std::vector<std::string_view> fields;
  return split_csv(line, fields) == Split::ok && fields.size() >= 2 && read_ncu_header(fields, metrics).has_value();
}

Result<> read_ncu(Input& input, std::string_view first, model::Session& into) { return NcuCsv(input, into, usual_piece).read(first); }

}  // namespace

constinit const Format ncu_csv_format = {
    .id = "ncu-csv",
    .title = "Nsight Compute CSV",
    .begins = ncu_begins,
    .read_lines = read_ncu,
};

}  // namespace frx::ingest
