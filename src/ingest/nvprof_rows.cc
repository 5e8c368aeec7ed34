// See nvprof_csv.cc for the tables, nvprof_text.cc for the same as text.
#include "ingest/nvprof_rows.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "base/units.h"
#include "frx_generated/metric_ids.h"
#include "ingest/csv.h"
#include "ingest/profile.h"

namespace frx::ingest {
namespace {

// "Duration(ns)" -> "Duration" and "ns"; "Operations(Double Precision)" has no unit.
std::pair<std::string_view, std::string_view> split_header(std::string_view text) {
  text = trim(text);
  const std::size_t open = text.ends_with(')') ? text.rfind('(') : text.npos;
  if (open == text.npos) return {text, {}};
  const std::string_view unit = text.substr(open + 1, text.size() - open - 2);
  if (unit.empty() || !parse_unit(unit)) return {text, {}};
  return {trim(text.substr(0, open)), unit};
}

// "Grid X" and "GridX" are one column.
std::string squeezed(std::string_view text) {
  std::string result = to_lower(text);
  std::erase(result, ' ');
  return result;
}

bool is_ignored(std::string_view name) {
  constexpr std::string_view ignored[] = {"start",  "starttime",         "size",           "throughput", "context",
                                          "stream", "srcmemtype",        "dstmemtype",     "min",        "max",
                                          "total",  "metricdescription", "correlation_id", "time(%)",    "correlationid"};
  return std::find(std::begin(ignored), std::end(ignored), name) != std::end(ignored);
}

struct NvprofRole {
  std::string_view name;
  int NvprofHeader::*column;
};
constexpr NvprofRole nvprof_roles[] = {
    {"name", &NvprofHeader::name},
    {"kernel", &NvprofHeader::name},
    {"device", &NvprofHeader::device},
    {"type", &NvprofHeader::type},
    {"time", &NvprofHeader::time},
    {"calls", &NvprofHeader::calls},
    {"invocations", &NvprofHeader::calls},
    {"metricname", &NvprofHeader::metric},
    {"eventname", &NvprofHeader::metric},
    {"avg", &NvprofHeader::average},
    {"duration", &NvprofHeader::duration},
    {"registersperthread", &NvprofHeader::registers},
    {"registers/thread", &NvprofHeader::registers},
    {"staticsmem", &NvprofHeader::static_shared},
    {"staticsharedmemory", &NvprofHeader::static_shared},
    {"dynamicsmem", &NvprofHeader::dynamic_shared},
    {"dynamicsharedmemory", &NvprofHeader::dynamic_shared},
};

bool take_role(NvprofHeader& header, std::string_view name, int at) {
  for (const NvprofRole& role : nvprof_roles) {
    if (role.name != name) continue;
    header.*role.column = at;
    return true;
  }
  constexpr std::string_view axes = "xyz";
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (name == std::string("grid") + axes[axis])
      header.grid[axis] = at;
    else if (name == std::string("block") + axes[axis])
      header.block[axis] = at;
    else
      continue;
    return true;
  }
  return false;
}

// A cell of any shape: "250.50GB/s", "99.9%", "Low (1)", "Idle", "12".
struct Cell {
  std::string_view number;
  std::string_view unit;
};

Cell read_cell(std::string_view text) {
  text = trim(text);
  if (text == "Idle") return {"0", {}};  // the lowest of the levels Idle (0) to Max (10)
  if (text.ends_with(')')) {
    const std::size_t open = text.rfind('(');
    const std::string_view level = open == text.npos ? std::string_view() : text.substr(open + 1, text.size() - open - 2);
    if (!level.empty() && level.find_first_not_of("0123456789") == level.npos) return {level, {}};
  }
  std::size_t end = text.find_first_not_of("0123456789.,+-");
  // "1.5e+06B/s", but not the "e" of a unit.
  if (end != text.npos && end > 0 && end + 2 < text.size() && (text[end] == 'e' || text[end] == 'E') &&
      (text[end + 1] == '+' || text[end + 1] == '-')) {
    end = text.find_first_not_of("0123456789", end + 2);
  }
  if (end == 0 || end == text.npos) return {text, {}};
  const std::string_view unit = trim(text.substr(end));
  return parse_unit(unit) ? Cell{text.substr(0, end), unit} : Cell{text, {}};
}

// The factor between nvprof's powers of 1024 and a unit that is read as a power of 1000: "KB" -> 1.024.
double binary_correction(std::string_view unit) {
  if (unit.size() < 2 || unit[1] != 'B') return 1;
  constexpr std::string_view prefixes = "KMGT";
  const std::size_t power = prefixes.find(unit[0]);
  double factor = 1;
  for (std::size_t i = 0; power != prefixes.npos && i <= power; ++i) factor *= 1.024;
  return factor;
}

// "axpy(int) [117]" -> "axpy(int)": the number only says which API call launched it.
std::string_view without_correlation(std::string_view name) {
  name = trim(name);
  const std::size_t open = name.rfind(" [");
  if (open == name.npos || !name.ends_with(']')) return name;
  const std::string_view digits = name.substr(open + 2, name.size() - open - 3);
  const bool all_digits = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
  return all_digits ? name.substr(0, open) : name;
}

bool is_memory_operation(std::string_view name) {
  return name.starts_with("[CUDA ") || name.starts_with("Memcpy ") || name.starts_with("Memset ");
}

// "cudaLaunchKernel" and "cuInit" are calls; "cuda_step(int)" is a kernel.
bool is_api_name(std::string_view name) {
  if (name.find('(') != name.npos) return false;
  const std::size_t after = name.starts_with("cuda") ? 4 : name.starts_with("cu") ? 2 : name.npos;
  return after < name.size() && name[after] >= 'A' && name[after] <= 'Z';
}

std::uint64_t nvprof_count(std::string_view text) {
  text = trim(text);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::optional<std::pair<std::string_view, int>> read_device(std::string_view text) {
  text = trim(text);
  const std::size_t open = text.rfind(" (");
  if (open == text.npos || !text.ends_with(')')) return std::nullopt;
  int index = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto result = std::from_chars(text.data() + open + 2, end, index);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return std::pair(trim(text.substr(0, open)), index);
}

std::optional<NvprofHeader> NvprofHeader::of(const std::vector<std::string_view>& fields) {
  NvprofHeader header;
  bool percent = false, size = false, start = false, stream = false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto [name, unit] = split_header(fields[i]);
    // "Time(%)" is a share, not the time.
    const bool share = squeezed(fields[i]) == "time(%)";
    const std::string key = share ? "time(%)" : squeezed(name);
    percent |= share;
    size |= key == "avgsize";
    start |= key == "start";
    stream |= key == "stream";
    header.names.emplace_back(name);
    header.units.emplace_back(unit);
    const auto at = static_cast<int>(i);
    if (!take_role(header, key, at) && !is_ignored(key)) header.counters.push_back(at);
  }
  const bool grid = header.grid[0] >= 0 && header.grid[2] >= 0;
  if (header.name >= 0 && header.calls >= 0 && header.metric >= 0 && header.average >= 0) {
    header.shape = Shape::metrics;
  } else if (header.name >= 0 && header.time >= 0 && header.calls >= 0 && percent) {
    header.shape = Shape::summary;
  } else if (header.name >= 0 && ((grid && header.duration >= 0) || (stream && header.device >= 0 && !header.counters.empty()))) {
    header.shape = Shape::trace;
  } else if (size && header.device >= 0) {
    header.what = "nvprof's unified-memory summary";
  } else if (start && header.name >= 0 && header.duration >= 0) {
    header.what = "nvprof's trace of API calls";
  } else {
    return std::nullopt;
  }
  return header;
}

NvprofRows::NvprofRows(Input& input, model::Session& session)
    : input_(input), session_(session), table_(session, input.metrics), values_(session, input.metrics, table_) {
  session_.tool = "nvprof";
}

Failure NvprofRows::no_kernels() const {
  return fail(ErrorKind::malformed, "expected kernels, found {}",
              header_.what.empty() ? "a table of nvprof without a kernel in it" : header_.what)
      .hint("collect kernels with: nvprof --csv --metrics all --log-file metrics.csv ./your_app");
}

void NvprofRows::start_table(NvprofHeader header, Units units) {
  header_ = std::move(header);
  const bool has_units = header_.shape == NvprofHeader::Shape::trace || header_.shape == NvprofHeader::Shape::summary;
  expect_units_ = has_units && units == Units::in_cells_or_first_row;
  if (header_.shape == NvprofHeader::Shape::trace &&
      header_.names[static_cast<std::size_t>(header_.grid[0] < 0 ? 0 : header_.grid[0])] == "GridX") {
    session_.format = "Visual Profiler CSV";
  }
  // The viewer prints shared memory in bytes without naming the unit.
  for (const int column : {header_.static_shared, header_.dynamic_shared}) {
    if (column >= 0 && header_.names[static_cast<std::size_t>(column)].ends_with("Memory") && unit_of(column).empty()) {
      header_.units[static_cast<std::size_t>(column)] = "bytes";
    }
  }
  plans_.clear();
}

void NvprofRows::name_device(std::string_view text) {
  if (const auto device = read_device(text)) session_.devices[device->second].name = printable(device->first);
}

void NvprofRows::take_tool_line(std::string_view line) {
  api_calls_ = line.find("API calls:") != line.npos;
  if (line.find("NVPROF is profiling") != line.npos) ++runs_;
  ingest::take_tool_line(line, session_);
}

void NvprofRows::take(const Fields& fields) {
  fields_ = &fields;
  if (expect_units_) {
    expect_units_ = false;
    if (take_units()) return;
  }
  switch (header_.shape) {
    case NvprofHeader::Shape::metrics: return take_metric();
    case NvprofHeader::Shape::trace: return take_launch();
    case NvprofHeader::Shape::summary: return take_summary();
    case NvprofHeader::Shape::no_kernels: return;
  }
}

Result<> NvprofRows::finish() {
  TRY(values_.verdict());
  table_.finish();
  if (session_.launches == 0) return no_kernels();
  values_.finish();
  return {};
}

std::string_view NvprofRows::field(int column) const {
  return column >= 0 && static_cast<std::size_t>(column) < fields_->size() ? (*fields_)[static_cast<std::size_t>(column)]
                                                                           : std::string_view();
}
std::string_view NvprofRows::unit_of(int column) const {
  return column >= 0 ? std::string_view(header_.units[static_cast<std::size_t>(column)]) : std::string_view();
}

// ",%,ms,,us,us,ms," has units and blanks only.
bool NvprofRows::take_units() {
  if (fields_->size() != header_.names.size() || !trim(field(header_.name)).empty()) return false;
  const bool units = std::all_of(fields_->begin(), fields_->end(), [](std::string_view text) { return parse_unit(text).has_value(); });
  if (!units) return false;
  for (std::size_t i = 0; i < fields_->size(); ++i) header_.units[i] = trim((*fields_)[i]);
  return true;
}

model::LaunchIdentity NvprofRows::identity() {
  model::LaunchIdentity launch;
  launch.kernel = unquoted(without_correlation(field(header_.name)));
  if (const auto device = read_device(field(header_.device))) {
    launch.device = device->second;
    session_.devices[device->second].name = printable(unquoted(device->first));
  }
  launch.grid = dims(header_.grid);
  launch.block = dims(header_.block);
  return launch;
}

std::optional<model::Dim3> NvprofRows::dims(const std::array<int, 3>& columns) const {
  model::Dim3 dims{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string_view text = trim(field(columns[i]));
    const auto result = std::from_chars(text.data(), text.data() + text.size(), dims[i]);
    if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  }
  return dims;
}

void NvprofRows::take_metric() {
  const std::uint64_t invocations = nvprof_count(field(header_.calls));
  if (invocations == 0 || trim(field(header_.name)).empty() || field(header_.average).empty()) return;
  const model::LaunchIdentity launch = identity();
  table_.at(fmt::format("{}/{}/{}", runs_, launch.device.value_or(-1), launch.kernel), launch, input_.lines.line_number());
  table_.set_count(invocations);
  const std::string name = unquoted(trim(field(header_.metric)));
  take_value(input_.metrics.called_by_nvprof(name), name, field(header_.average), {});
}

void NvprofRows::take_launch() {
  const bool has_grid = header_.grid[0] >= 0;
  const std::string_view name = trim(field(header_.name));
  if (name.empty() || is_memory_operation(name) || (has_grid && !dims(header_.grid))) return;
  table_.at_next(identity(), input_.lines.line_number());
  take_column(metrics::kernel_duration, header_.duration);
  take_column(metrics::registers_per_thread, header_.registers);
  take_per_block(metrics::shared_memory_static, header_.static_shared);
  take_per_block(metrics::shared_memory_dynamic, header_.dynamic_shared);
  for (const int column : header_.counters) {
    const std::string& metric = header_.names[static_cast<std::size_t>(column)];
    take_value(input_.metrics.called_by_nvprof(metric), metric, field(column), unit_of(column));
  }
}

void NvprofRows::take_column(model::Metric metric, int column) {
  if (column >= 0) take_value(metric, header_.names[static_cast<std::size_t>(column)], field(column), unit_of(column));
}

void NvprofRows::take_per_block(model::Metric metric, int column) {
  if (column < 0) return;
  const std::string& name = header_.names[static_cast<std::size_t>(column)];
  const Cell cell = read_cell(field(column));
  const std::string_view unit = cell.unit.empty() ? unit_of(column) : cell.unit;
  const std::string per_block = unit.empty() ? std::string() : fmt::format("{}/block", unit);
  values_.take(plan_of(metric, name, per_block), cell.number, NumberStyle::point, input_.lines.line_number());
}

void NvprofRows::take_value(std::optional<model::Metric> metric, std::string_view name, std::string_view text, std::string_view unit) {
  const Cell cell = read_cell(text);
  if (!cell.unit.empty()) unit = cell.unit;
  values_.take(plan_of(metric, name, unit), cell.number, NumberStyle::point, input_.lines.line_number());
}

const ValuePlan& NvprofRows::plan_of(std::optional<model::Metric> metric, std::string_view name, std::string_view unit) {
  const std::string key = fmt::format("{}\x1f{}", name, unit);
  const auto known = plans_.find(key);
  if (known != plans_.end()) return known->second;
  ValuePlan plan = values_.plan_for(metric, name, unit, true, input_.lines.line_number());
  plan.scale *= binary_correction(unit);
  return plans_.emplace(key, std::move(plan)).first->second;
}

// The sum over the calls is what was measured; the average is rounded.
void NvprofRows::take_summary() {
  const std::string_view name = trim(field(header_.name));
  const std::uint64_t calls = nvprof_count(field(header_.calls));
  const bool kernel = header_.type >= 0 ? field(header_.type) == "GPU activities" : !api_calls_ && !is_api_name(name);
  if (!kernel || name.empty() || calls == 0 || is_memory_operation(name)) return;
  table_.at_next(identity(), input_.lines.line_number());
  table_.set_count(calls);
  const Cell cell = read_cell(field(header_.time));
  const std::string_view unit = cell.unit.empty() ? unit_of(header_.time) : cell.unit;
  ValuePlan per_call = plan_of(metrics::kernel_duration, "Time", unit);
  per_call.scale /= static_cast<double>(calls);
  values_.take(per_call, cell.number, NumberStyle::point, input_.lines.line_number());
}

}  // namespace frx::ingest
