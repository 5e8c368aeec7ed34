// Nsight Compute text, the details page as it stands in terminals and job logs:
//
//   2020-2022    axpy(int, float *), 2022-Mar-01 10:20:30, Context 1, Stream 7
//                  Section: GPU Speed Of Light
//                  ------------------- --------------- --------------
//                  Duration                    msecond          17,25
//                  ------------------- --------------- --------------
//                  WRN   This kernel ...
//   2023 on      axpy(int, float *) (16, 64, 1)x(32, 8, 1), Context 1, Stream 7, Device 0, CC 8.6
//                with a row "Metric Name  Metric Unit  Metric Value" under the first line of dashes
//   summary      axpy(int, float *) (16, 64, 1)x(32, 8, 1), Invocations 10     (Minimum Maximum Average)
//
// The lines of dashes give the positions of the columns. Blanks alone do not: the columns may be one blank
// apart, and a Swedish locale groups digits with blanks ("24 605 318").

#include <charconv>
#include <unordered_map>

#include "base/text.h"
#include "ingest/format.h"
#include "ingest/launch_table.h"
#include "ingest/ncu_columns.h"
#include "ingest/profile.h"
#include "ingest/text_table.h"
#include "ingest/value_plan.h"

namespace frx::ingest {
namespace {

// Rows examined before the number style is settled, when none of them determines it.
constexpr std::size_t max_deferred = 4000;
constexpr std::size_t max_rule_text = 4000;

struct LaunchLine {
  model::LaunchIdentity identity;
  std::uint64_t launches = 1;
};

template <typename Number>
bool read_whole(std::string_view text, Number& into) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), into);
  return !text.empty() && result.ec == std::errc() && result.ptr == text.data() + text.size();
}

// The facts at the end of a launch line, ", Context 1, Stream 7, Device 0, CC 8.6", taken from the
// right because a kernel name may hold commas of its own.
struct Facts {
  bool context = false, stream = false;
  std::optional<std::uint64_t> invocations;
  std::optional<int> device;
  std::optional<model::ComputeCapability> cc;

  bool take(std::string_view fact) {
    const std::size_t blank = fact.find(' ');
    if (blank == fact.npos) return false;
    const std::string_view key = fact.substr(0, blank);
    const std::string_view value = fact.substr(blank + 1);
    std::uint64_t number = 0;
    if (key == "CC") return (cc = parse_cc(value)).has_value();
    if (!read_whole(value, number)) return false;
    if (key == "Context") return context = true;
    if (key == "Stream") return stream = true;
    if (key == "Device" && number < 4096) return (device = static_cast<int>(number)).has_value();
    if (key == "Invocations") return (invocations = number).has_value();
    return false;
  }

  void take_all(std::string_view& text) {
    while (true) {
      const std::size_t at = text.rfind(", ");
      if (at == text.npos || !take(text.substr(at + 2))) return;
      text = text.substr(0, at);
    }
  }
};

bool is_empty(const model::Dim3& dims) { return dims[0] == 0 || dims[1] == 0 || dims[2] == 0; }

// "name (16, 64, 1)x(32, 8, 1)" -> the name; grid and block are stored. A launch that failed shows
// (0, 0, 0), which is no shape.
std::string_view take_shape(std::string_view text, model::LaunchIdentity& launch) {
  const std::size_t between = text.rfind(")x(");
  const std::size_t open = between == text.npos ? text.npos : text.rfind('(', between);
  if (open == text.npos) return text;
  const auto grid = parse_dim3(text.substr(open, between + 1 - open));
  const auto block = parse_dim3(text.substr(between + 2));
  if (!grid || !block) return text;
  if (!is_empty(*grid)) launch.grid = grid;
  if (!is_empty(*block)) launch.block = block;
  launch.without_threads = is_empty(*block);
  return text.substr(0, open);
}

// "name, 2022-Mar-01 10:20:30" -> the name.
std::string_view without_date(std::string_view text) {
  const std::size_t at = text.rfind(", ");
  if (at == text.npos) return text;
  const std::string_view date = text.substr(at + 2);
  std::uint32_t year = 0;
  return date.size() > 5 && date[4] == '-' && read_whole(date.substr(0, 4), year) ? text.substr(0, at) : text;
}

std::optional<LaunchLine> parse_launch_line(std::string_view line) {
  // Cheap tests first: this is called for every line.
  if (line.find(", Stream ") == line.npos && line.find(", Invocations ") == line.npos) return std::nullopt;
  std::string_view text = trim(line);
  Facts facts;
  facts.take_all(text);
  if (!facts.invocations && !(facts.context && facts.stream)) return std::nullopt;
  LaunchLine launch;
  launch.identity.kernel = trim(without_date(take_shape(text, launch.identity)));
  if (launch.identity.kernel.empty()) return std::nullopt;
  launch.identity.device = facts.device;
  launch.identity.cc = facts.cc;
  launch.launches = std::max<std::uint64_t>(facts.invocations.value_or(1), 1);
  return launch;
}

// "  Device 0, CC 8.6" above the kernels of a summary.
std::optional<Facts> parse_device_line(std::string_view line) {
  if (!line.starts_with("  Device ")) return std::nullopt;
  std::string_view text = trim(line);
  Facts facts;
  facts.take_all(text);
  return facts.cc && facts.take(text) && facts.device ? std::optional(facts) : std::nullopt;
}

// "[4711] app@host": what follows belongs to another program.
bool is_process_line(std::string_view text) { return text.starts_with('[') && text.find("] ") != text.npos && text.find('@') != text.npos; }

class NcuText {
 public:
  NcuText(Input& input, model::Session& session)
      : input_(input), session_(session), table_(session, input.metrics), values_(session, input.metrics, table_) {}

  Result<> read(std::string_view first) {
    take(first);
    std::string_view line;
    while (true) {
      TRY_ASSIGN(const bool more, input_.lines.next(line));
      if (!more) break;
      if (input_.progress && (line_number() & 0x3FFF) == 0) input_.progress(input_.lines.bytes_read());
      if (!take_tool_line(line, session_)) take(line);
    }
    settle_styles();
    note_styles();
    TRY(values_.verdict());
    if (noise_ > 0) {
      values_.notes().add(first_noise_, fmt::format("{} lines inside tables are not rows (program output?); skipped", noise_));
    }
    table_.finish();
    values_.finish();
    return {};
  }

 private:
  struct Row {
    std::string section, label, unit, value;
  };
  // Tables of a section follow the locale of the user in some versions, counters asked for by name ("dram__bytes.sum") do not.
  struct Part {
    NumberEvidence evidence;
    std::optional<NumberStyle> style;
    std::size_t waiting = 0;  // rows seen before it was settled
  };
  // The events in order, while the number style is open.
  struct Event {
    std::uint64_t line = 0;
    std::optional<LaunchLine> launch;
    Row row;
  };

  std::uint64_t line_number() const { return input_.lines.line_number(); }

  void take(std::string_view line) {
    const std::string_view text = trim(line);
    if (text.empty()) {
      rule_ = nullptr;
    } else if (std::optional<LaunchLine> launch = parse_launch_line(line)) {
      start_launch(std::move(*launch));
    } else if (const std::optional<Facts> device = parse_device_line(line)) {
      device_ = device;
    } else if (text.starts_with("Section: ")) {
      section_ = trim(text.substr(9));
      layout_.reset();
      rule_ = nullptr;
    } else if (std::optional<TextTable> rule = TextTable::from_dashes(line)) {
      take_dashes(std::move(*rule));
    } else if (layout_) {
      take_row(line);
    } else if (is_process_line(text)) {
      device_.reset();
    } else {
      take_rule(line, text);
    }
  }

  void start_launch(LaunchLine launch) {
    if (!launch.identity.device && device_) {
      launch.identity.device = device_->device;
      launch.identity.cc = device_->cc;
    }
    section_.clear();
    layout_.reset();
    rule_ = nullptr;
    kernel_ = launch.identity.kernel;
    Event event{line_number(), std::move(launch), {}};
    deferred_.empty() ? apply(event) : defer(std::move(event));
  }

  // The first line of dashes opens a table, the one under the row of titles belongs to it, the next
  // closes it. Two columns separate rules.
  void take_dashes(TextTable layout) {
    rule_ = nullptr;
    if (under_titles_) {
      under_titles_ = false;
    } else if (!layout_ && (layout.columns() == 3 || layout.columns() == 5)) {
      layout_ = std::move(layout);
    } else {
      layout_.reset();
    }
  }

  void take_row(std::string_view line) {
    const std::optional<std::vector<std::string_view>> cells = layout_->cut(line);
    if (!cells || cells->front().empty()) {
      if (noise_++ == 0) first_noise_ = line_number();
      return;
    }
    if (cells->front() == "Metric Name") {
      under_titles_ = true;
      return;
    }
    if (kernel_.empty() || ((*cells)[1].empty() && cells->back().empty())) return;
    // The last column is the value, or the average of a summary.
    Event event{line_number(), std::nullopt,
                Row{section_, std::string(cells->front()), std::string((*cells)[1]), std::string(cells->back())}};
    deferred_.empty() && part_of(event.row).style ? apply(event) : defer(std::move(event));
  }

  Part& part_of(const Row& row) { return row.label.find("__") == row.label.npos ? tables_ : counters_; }

  void defer(Event event) {
    if (!event.launch) {
      Part& part = part_of(event.row);
      part.evidence.look_at(event.row.value);
      const bool proven = part.evidence.proves_point() || part.evidence.proves_comma();
      if (!part.style && proven) settle(part, part.evidence.style());
      if (!part.style) ++part.waiting;
    }
    deferred_.push_back(std::move(event));
    if (tables_.waiting + counters_.waiting == 0 || deferred_.size() >= max_deferred) settle_styles();
  }

  void settle(Part& part, NumberStyle style) {
    part.style = style;
    part.waiting = 0;
  }

  void note_styles() {
    const bool tables = tables_.style == NumberStyle::comma, counters = counters_.style == NumberStyle::comma;
    if (!tables && !counters) return;
    const bool mixed = tables_.style && counters_.style && tables != counters;
    values_.notes().add(0, !mixed   ? "numbers are written with a decimal comma"
                           : tables ? "tables are written with a decimal comma, counters asked for by name with a decimal point"
                                    : "tables are written with a decimal point, counters asked for by name with a decimal comma");
  }

  // What proves nothing by itself is written as the rest of the file.
  void settle_styles() {
    if (tables_.waiting > 0) settle(tables_, counters_.style.value_or(NumberStyle::point));
    if (counters_.waiting > 0) settle(counters_, tables_.style.value_or(NumberStyle::point));
    for (const Event& event : deferred_) apply(event);
    deferred_.clear();
  }

  void apply(const Event& event) {
    if (!event.launch) return apply_row(event);
    const model::LaunchIdentity& launch = event.launch->identity;
    current_device_ = launch.device;
    if (launch.device && launch.cc) session_.devices[*launch.device].cc = launch.cc;
    table_.at_next(launch, event.line);
    table_.set_count(event.launch->launches);
  }

  void apply_row(const Event& event) {
    const Row& row = event.row;
    if (row.unit.empty() && is_absent_value(row.value)) {  // a failed launch: nothing, not even a unit
      table_.set_absent();
      return;
    }
    const ValuePlan& plan = plan_of(row, event.line);
    if (plan.kind == ValuePlan::Kind::device_name) {
      session_.devices[current_device_.value_or(0)].name = printable(row.value);
    } else {
      values_.take(plan, row.value, part_of(row).style.value_or(NumberStyle::point), event.line);
    }
  }

  const ValuePlan& plan_of(const Row& row, std::uint64_t line) {
    const std::string key = fmt::format("{}\x1f{}\x1f{}", row.section, row.label, row.unit);
    auto known = plans_.find(key);
    if (known == plans_.end()) known = plans_.emplace(key, values_.plan(row.section, row.label, row.unit, true, line)).first;
    return known->second;
  }

  // "OPT   Est. Speedup: 50%" and the indented lines under it.
  void take_rule(std::string_view line, std::string_view text) {
    const auto indent = static_cast<std::size_t>(text.data() - line.data());
    std::size_t type = 0;
    while (type < text.size() && text[type] >= 'A' && text[type] <= 'Z') ++type;
    if (indent >= 4 && type == 3 && text.substr(type).starts_with("  ") && !kernel_.empty()) {
      rule_ = nullptr;
      if (session_.rules.size() >= most_rules) return;
      rule_ = &session_.rules.emplace_back();
      rule_->kernel = kernel_;
      rule_->section = section_;
      rule_->type = text.substr(0, type);
      rule_->line = line_number();
      return add_to_rule(trim(text.substr(type)));
    }
    if (rule_ && indent >= 8) return add_to_rule(text);
    rule_ = nullptr;
  }

  void add_to_rule(std::string_view text) {
    if (text.starts_with("Est. ") && text.ends_with('%') && text.find(": ") != text.npos) {
      const std::string_view number = text.substr(text.find(": ") + 2);
      rule_->is_local_estimate = text.starts_with("Est. Local");
      rule_->estimated_speedup_pct = parse_number(number.substr(0, number.size() - 1), NumberStyle::point);
      return;
    }
    if (rule_->text.size() + text.size() > max_rule_text) return;
    if (!rule_->text.empty()) rule_->text += ' ';
    rule_->text += printable(text);
  }

  Input& input_;
  model::Session& session_;
  LaunchTable table_;
  ValueReader values_;

  std::string kernel_, section_;
  std::optional<Facts> device_;
  std::optional<int> current_device_;
  std::optional<TextTable> layout_;  // set while inside a table
  bool under_titles_ = false;
  model::ProfilerRule* rule_ = nullptr;  // the rule that the current paragraph belongs to
  std::unordered_map<std::string, ValuePlan> plans_;

  Part tables_, counters_;
  std::vector<Event> deferred_;
  std::uint64_t noise_ = 0;
  std::uint64_t first_noise_ = 0;
};

bool begins(std::string_view line, const knowledge::MetricCatalogue&) {
  return parse_launch_line(line).has_value() || parse_device_line(line).has_value();
}

Result<> read(Input& input, std::string_view first, model::Session& into) { return NcuText(input, into).read(first); }

}  // namespace

constinit const Format ncu_text_format = {
    .id = "ncu-text",
    .title = "Nsight Compute text, details page",
    .begins = begins,
    .read_lines = read,
};

}  // namespace frx::ingest
