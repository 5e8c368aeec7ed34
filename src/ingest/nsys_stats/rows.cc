#include "ingest/nsys_stats/rows.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "frx_generated/metric_ids.h"
#include "ingest/csv.h"
#include "ingest/nsys_stats/cells.h"
#include "ingest/nvprof_rows.h"

namespace frx::ingest::nsys_stats {
namespace {

constexpr std::uint64_t most_launches = 1'000'000'000;
constexpr std::uint64_t most_threads = 0x7FFFFFFF;
constexpr double longest_time = 1e18;  // ns: 30 years
constexpr std::size_t most_other_rows = 1 << 20;
constexpr std::string_view cut_sign = "\xE2\x80\xA6";
constexpr std::string_view shape_names[] = {"", "summary of GPU work", "kernel summary", "kernel summary by grid and block", "GPU trace"};

std::uint64_t hash_of(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (hash ^ 0xFF) * 0x100000001b3u;
}

// "cuda_api_sum", "cudaapisum" and "CUDA API Statistics" are one report.
model::RecordedWork work_of(std::string_view report) {
  struct Word {
    std::string_view text;
    model::RecordedWork work;
  };
  using enum model::RecordedWork;
  constexpr Word words[] = {{"apisum", cuda_calls}, {"apistatistics", cuda_calls}, {"memtimesum", memory},    {"(bytime)", memory},
                            {"nvtx", ranges},       {"sizesum", memory_sizes},     {"(bysize)", memory_sizes}};
  std::string key = to_lower(report);
  std::erase_if(key, [](char c) { return c == ' ' || c == '_'; });
  if (key.find("osrt") != key.npos || key.find("operatingsystem") != key.npos) return os_calls;
  const auto found = std::ranges::find_if(words, [&](const Word& word) { return key.find(word.text) != key.npos; });
  return found == std::end(words) ? other : found->work;
}

}  // namespace

void Rows::take_reason(std::string_view reason) {
  constexpr std::size_t most = 20;
  const bool about_kernels = contains_ignoring_case(reason, "kernel") || contains_ignoring_case(reason, "GPU trace") ||
                             contains_ignoring_case(reason, "CUDA trace");
  if (!about_kernels || reasons_.size() >= most) return;
  const std::size_t path = reason.find(" does not contain");
  reasons_.push_back(
      printable(path == reason.npos ? reason : std::string(file_name_in(reason.substr(0, path))) + std::string(reason.substr(path))));
}

void Rows::start_table(Header header, std::string_view writing) {
  end_table();
  header_ = std::move(header);
  in_table_ = true;
  plans_ = {};
  if (header_.shape == Shape::other) {
    constexpr std::size_t most = 32;
    if (others_.size() < most) others_.insert(report_.empty() ? std::string(header_.what) : printable(shorten(report_, 40)));
    other_ = {work_of(heading_), printable(shorten(heading_, 80)), {}};
  } else {
    std::unique_ptr<Tally>& tally = tallies_[static_cast<std::size_t>(header_.shape)];
    if (!tally) tally = std::make_unique<Tally>(input_.metrics);
    tally->writing = writing;
    ++tally->tables;
  }
  report_.clear();
  heading_.clear();
}

void Rows::end_table() {
  if (in_table_) header_.shape == Shape::other ? write_other() : write_summary();
  in_table_ = false;
}

std::string_view Rows::field(int column) const {
  return column >= 0 && static_cast<std::size_t>(column) < fields_->size() ? trim((*fields_)[static_cast<std::size_t>(column)])
                                                                           : std::string_view();
}

// Shares have one digit after the decimal sign, megabytes three; other numbers may be whole.
NumberStyle Rows::style() const {
  for (const int column : {header_.share, header_.static_shared, header_.dynamic_shared}) {
    const std::string_view text = field(column);
    const bool is_megabytes = column >= 0 && header_.units[static_cast<std::size_t>(column)] == "MB";
    if (is_absent(text) || (column != header_.share && !is_megabytes)) continue;
    const std::size_t sign = text.find_last_of(".,");
    if (sign != text.npos) return text[sign] == ',' ? NumberStyle::comma : NumberStyle::point;
  }
  return NumberStyle::point;
}

void Rows::take(const Fields& fields) {
  if (!in_table_) return;
  fields_ = &fields;
  if (!number_in(field(0), style())) return;  // what others print
  if (header_.shape == Shape::other) return take_other_row();
  if (header_.shape == Shape::trace) return take_launch();
  take_summary_row();
}

void Rows::continue_name(std::string_view rest) {
  constexpr std::size_t longest = 1 << 16;
  const bool is_other = header_.shape == Shape::other;
  if ((is_other ? other_.rows.empty() : summary_.empty()) || rest.empty()) return;
  std::string& name = is_other ? other_.rows.back().name : summary_.back().launch.kernel;
  if (name.size() + rest.size() > longest) return;
  if (name.ends_with(',')) name += ' ';
  name += rest;
}

void Rows::take_misfit() {
  if (in_table_ && header_.shape != Shape::other) {
    tally().values.notes().add(input_.lines.line_number(), "a row is cut off or damaged; not counted");
  }
}

std::optional<model::Dim3> Rows::dims(const std::array<int, 3>& columns, int text) const {
  if (text >= 0) return dims_in(field(text));
  model::Dim3 dims{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto size = count_in(field(columns[i]), style(), most_threads);
    if (!size) return std::nullopt;
    dims[i] = static_cast<std::uint32_t>(*size);
  }
  return dims;
}

model::LaunchIdentity Rows::identity(std::string_view name) const {
  model::LaunchIdentity launch;
  launch.kernel = unquoted(name);
  launch.grid = dims(header_.grid, header_.grid_text);
  launch.block = dims(header_.block, header_.block_text);
  if (const auto device = read_device(field(header_.device))) launch.device = device->second;
  return launch;
}

void Rows::note_cut_name(const std::string& name) {
  if (!name.ends_with(cut_sign)) return;
  const bool is_new = tally().cut_names.insert(name).second;
  if (!is_new && header_.shape != Shape::trace) ++tally().joined_rows;
}

void Rows::take_launch() {
  const std::string_view name = field(header_.name);
  if (name.empty() || !number_in(field(header_.duration), style())) return take_misfit();
  model::LaunchIdentity launch = identity(name);
  // Copies and the like are in brackets and have bytes; a kernel of a graph may have no grid.
  if (!launch.grid && (name.starts_with('[') || !is_absent(field(header_.bytes)))) return;
  note_cut_name(launch.kernel);
  if (const auto device = read_device(field(header_.device))) {
    tally().session.devices[device->second].name = printable(unquoted(device->first));
  }
  tally().table.at_next(launch, input_.lines.line_number());
  take_value(metrics::kernel_duration, header_.duration, false);
  take_value(metrics::registers_per_thread, header_.registers, false);
  take_value(metrics::shared_memory_static, header_.static_shared, true);
  take_value(metrics::shared_memory_dynamic, header_.dynamic_shared, true);
  const int shared = header_.dynamic_shared >= 0 ? header_.dynamic_shared : header_.static_shared;
  if (shared >= 0 && header_.units[static_cast<std::size_t>(shared)] == "MB" && !is_absent(field(shared))) rounds_memory_ = true;
}

const ValuePlan& Rows::plan_of(model::Metric metric, int column, bool per_block) {
  const auto known = plans_.find(column);
  if (known != plans_.end()) return known->second;
  const auto at = static_cast<std::size_t>(column);
  return plans_
      .emplace(column, tally().values.plan_for(metric, header_.names[at], header_.units[at] + (per_block ? "/block" : ""), true,
                                               input_.lines.line_number()))
      .first->second;
}

void Rows::take_value(model::Metric metric, int column, bool per_block) {
  const std::string_view text = field(column);
  if (column < 0 || is_absent(text)) return;
  const ValuePlan& plan = plan_of(metric, column, per_block);
  if (plan.kind != ValuePlan::Kind::reading) return;
  const std::uint64_t line = input_.lines.line_number();
  const std::optional<double> value = number_in(text, style());
  if (!value || *value * plan.scale > longest_time) {
    tally().values.notes().add(line, fmt::format("{} of some rows is no possible number; not used", plan.label));
  } else {
    tally().values.take_number(plan, *value, line);
  }
}

void Rows::take_summary_row() {
  const std::string_view name = field(header_.name);
  const bool other_work = header_.category >= 0 && !contains_ignoring_case(field(header_.category), "kernel");
  if (other_work || name.starts_with("[CUDA ")) return;
  const auto launches = count_in(field(header_.instances), style(), most_launches);
  if (name.empty() || !launches) return take_misfit();
  // The sum over the launches is what was measured; the average is rounded.
  const int column = is_absent(field(header_.total)) ? header_.average : header_.total;
  SummaryRow row{identity(name), input_.lines.line_number(), *launches, -1, 0, printed_row(name, *launches)};
  if (const auto time = number_in(field(column), style())) {
    row.column = column;
    row.time = *time;
  } else if (!is_absent(field(column))) {
    return take_misfit();
  }
  summary_.push_back(std::move(row));
}

// Nanoseconds.
std::optional<double> Rows::time_in(int column) const {
  const std::string_view text = field(column);
  if (column < 0 || is_absent(text)) return std::nullopt;
  const std::optional<double> value = number_in(text, style());
  const std::optional<Unit> unit = parse_unit(header_.units[static_cast<std::size_t>(column)]);
  if (!value || !unit || unit->dimension != parse_unit("ns")->dimension) return std::nullopt;
  const double time = *value * unit->scale;
  return time >= 0 && time <= longest_time ? std::optional(time) : std::nullopt;
}

model::NameTimes Rows::printed_row(std::string_view name, std::uint64_t calls) const {
  model::NameTimes row;
  row.name = unquoted(name);
  row.calls = calls;
  row.total_ns = time_in(header_.total);
  row.shortest_ns = time_in(header_.shortest);
  row.longest_ns = time_in(header_.longest);
  return row;
}

// Of a table of calls, copies or ranges. What has no name or no count is none.
void Rows::take_other_row() {
  const std::string_view name = field(header_.name >= 0 ? header_.name : header_.range);
  const auto calls = count_in(field(header_.calls >= 0 ? header_.calls : header_.instances), style(), most_launches);
  if (name.empty() || !calls || other_.rows.size() >= most_other_rows) return;
  model::NameTimes row = printed_row(name, *calls);
  const std::optional<double> size = header_.size >= 0 ? number_in(field(header_.size), style()) : std::nullopt;
  const std::optional<Unit> unit = size ? parse_unit(header_.units[static_cast<std::size_t>(header_.size)]) : std::nullopt;
  if (unit && unit->dimension == parse_unit("byte")->dimension && *size >= 0 && *size * unit->scale < 1e18)
    row.bytes = static_cast<std::uint64_t>(*size * unit->scale + 0.5);
  other_.rows.push_back(std::move(row));
}

// The same table twice in one text counts once, as summaries of kernels do.
void Rows::write_other() {
  constexpr std::size_t most_tables = 256;
  const auto is_same = [&](const model::TimeTable& table) { return table.report == other_.report && table.rows == other_.rows; };
  if (!other_.rows.empty() && other_tables_.size() < most_tables && std::ranges::none_of(other_tables_, is_same))
    other_tables_.push_back(std::move(other_));
  other_ = {};
}

// A summary that stands in the text twice, as when `nsys profile --stats=true` and `nsys stats` print into one log, is one.
void Rows::write_summary() {
  if (header_.shape == Shape::other || header_.shape == Shape::trace) return;
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const SummaryRow& row : summary_) hash = hash_of(hash, fmt::format("{} {} {}", row.launch.kernel, row.launches, row.time));
  if (!summary_.empty() && !tally().seen.insert(hash).second) {
    --tally().tables;
    tally().values.notes().add(summary_.front().line, "a kernel summary that stands in the text before is not counted again");
  } else {
    for (SummaryRow& row : summary_) {
      write(row);
      row.printed.name = row.launch.kernel;  // all of its lines
      tally().rows.push_back(std::move(row.printed));
    }
  }
  summary_.clear();
}

void Rows::write(const SummaryRow& row) {
  note_cut_name(row.launch.kernel);
  tally().table.at_next(row.launch, row.line);
  tally().table.set_count(row.launches);
  if (row.column < 0) return;
  ValuePlan plan = plan_of(metrics::kernel_duration, row.column, false);
  if (plan.kind != ValuePlan::Kind::reading) return;
  if (row.time * plan.scale > longest_time) {
    tally().values.notes().add(row.line, fmt::format("{} of some rows is no possible number; not used", plan.label));
    return;
  }
  if (row.column == header_.total) plan.scale /= static_cast<double>(row.launches);
  tally().values.take_number(plan, row.time, row.line);
}

Failure Rows::no_kernels() const {
  if (!reasons_.empty()) {
    return fail(ErrorKind::malformed, "no kernels in it: nsys said '{}'", shorten(reasons_.front(), 160))
        .hint("record the work of the GPU (nsys profile --trace=cuda), and let the program run to its end");
  }
  const bool has_table = std::ranges::any_of(tallies_, [](const auto& tally) { return tally != nullptr; });
  const std::vector<std::string> others(others_.begin(), others_.end());
  const std::string found = has_table        ? "a table of kernels of nsys without a row"
                            : others.empty() ? "output of nsys without a table"
                                             : "tables of nsys about something else: " + shorten(join(others, ", "), 120);
  return fail(ErrorKind::malformed, "expected kernels, found {}", found)
      .hint("print the kernels with: nsys stats -r cuda_gpu_kern_sum FILE.nsys-rep (or FILE.sqlite); or analyse the .sqlite itself");
}

void Rows::note_others(std::size_t chosen, NoteBook& notes) const {
  const Tally& used = *tallies_[chosen];
  if (used.tables > 1) notes.add(0, fmt::format("{} tables of kernels are counted together ({} each)", used.tables, shape_names[chosen]));
  for (std::size_t i = 0; i < chosen; ++i) {
    if (tallies_[i] && tallies_[i]->session.launches > 0) {
      notes.add(0,
                fmt::format("the {} in the text is not counted: its {} tells of the same launches", shape_names[i], shape_names[chosen]));
    }
  }
  if (others_.empty()) return;
  const std::vector<std::string> others(others_.begin(), others_.end());
  notes.add(0, std::string(unused_tables_note) + join(others, ", "));
}

void Rows::note_names(const Tally& used, NoteBook& notes) {
  if (used.cut_names.empty()) return;
  std::string text = fmt::format("nsys cut the names of {} off", count_text(used.cut_names.size(), "kernel"));
  if (used.joined_rows > 0) text += fmt::format("; those that begin alike count as one ({})", count_text(used.joined_rows, "further row"));
  notes.add(0, text + "; `nsys stats --format csv` prints whole names");
}

Result<> Rows::finish() {
  end_table();
  std::size_t chosen = tallies_.size();
  for (std::size_t i = 0; i < tallies_.size(); ++i) {
    if (!tallies_[i]) continue;
    tallies_[i]->table.finish();
    if (tallies_[i]->session.launches > 0) chosen = i;
  }
  if (chosen == tallies_.size()) return no_kernels();
  Tally& used = *tallies_[chosen];
  note_names(used, used.values.notes());
  if (rounds_memory_ && chosen == static_cast<std::size_t>(Shape::trace)) {
    used.values.notes().add(0,
                            "nsys prints shared memory in steps of 0.001 MB: what follows from it, like occupancy, is near and not exact");
  }
  note_others(chosen, used.values.notes());
  used.values.finish();
  used.session.source = std::move(into_.source);
  used.session.tool_messages = std::move(into_.tool_messages);
  used.session.format = fmt::format("nsys stats {}", used.writing);
  used.session.tool = "Nsight Systems";
  if (!used.rows.empty()) used.session.time_tables.push_back({model::RecordedWork::kernels, "", std::move(used.rows)});
  std::ranges::move(other_tables_, std::back_inserter(used.session.time_tables));
  into_ = std::move(used.session);
  return {};
}

}  // namespace frx::ingest::nsys_stats
