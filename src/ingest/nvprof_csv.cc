// CSV of nvprof and of the Visual Profiler (GPUs up to Volta):
//
//   metrics  "Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"
//            "GeForce GTX 970 (0)","axpy(int)",3,"ipc","Executed IPC",1.5,1.5,1.5
//   trace    "Start","Duration","Grid X",...,"Registers Per Thread",...,"Device",...,"Name"
//            ms,us,,,,,,,,B,B,KB,MB/s,,,,
//            0.1,2.5,16,1,1,...,"axpy(int) [117]"
//   summary  "Type","Time(%)","Time","Calls","Avg","Min","Max","Name"   with a row of units, or
//            61.50%,731.42ms,4,...,axpy(int, float *)                   with units in the cells
//   viewer   Name,Start Time(ns),Duration(ns),GridX,...,Achieved Occupancy,...
//
// Units are given beside the number, in a row of their own or in the header, and nvprof's K, M and G are
// powers of 1024: it prints 200000 bytes as 195.3125 KB.

#include "base/text.h"
#include "ingest/csv.h"
#include "ingest/format.h"
#include "ingest/nvprof_rows.h"

namespace frx::ingest {
namespace {

class NvprofCsv {
 public:
  NvprofCsv(Input& input, model::Session& session) : input_(input), rows_(input, session) {}

  Result<> read(std::string_view line) {
    bool more = true;
    while (more) {
      if (input_.progress && (input_.lines.line_number() & 0x3FFF) == 0) input_.progress(input_.lines.bytes_read());
      take(line);
      TRY_ASSIGN(more, input_.lines.next(line));
    }
    return rows_.finish();
  }

 private:
  void take(std::string_view line) {
    if (line.starts_with("==")) return rows_.take_tool_line(line);
    if (trim(line).empty() || split_csv(line, fields_) == Split::open_quote) return;
    if (std::optional<NvprofHeader> header = NvprofHeader::of(fields_)) {
      return rows_.start_table(std::move(*header), NvprofRows::Units::in_cells_or_first_row);
    }
    join_name(line);
    rows_.take(fields_);
  }

  // Old versions do not quote kernel names, and those hold commas; the name is the last column.
  void join_name(std::string_view line) {
    const std::size_t columns = rows_.header().names.size();
    const auto last = static_cast<std::size_t>(rows_.header().name);
    if (rows_.header().name < 0 || last + 1 != columns || fields_.size() <= columns) return;
    fields_[last] = line.substr(static_cast<std::size_t>(fields_[last].data() - line.data()));
    fields_.resize(last + 1);
  }

  Input& input_;
  NvprofRows rows_;
  std::vector<std::string_view> fields_;
};

bool nvprof_begins(std::string_view line, const knowledge::MetricCatalogue&) {
  // Cheap tests first: this is called for every line before the table.
  if (line.size() < 8 || line.find(',') == line.npos || line[0] == '{' || line[0] == '[') return false;  // JSON is no table
  if (!contains_ignoring_case(line, "name") && !contains_ignoring_case(line, "device")) return false;
  std::vector<std::string_view> fields;
  return split_csv(line, fields) == Split::ok && NvprofHeader::of(fields).has_value();
}

Result<> read_nvprof(Input& input, std::string_view first, model::Session& into) { return NvprofCsv(input, into).read(first); }

}  // namespace

constinit const Format nvprof_csv_format = {
    .id = "nvprof-csv",
    .title = "nvprof CSV",
    .begins = nvprof_begins,
    .read_lines = read_nvprof,
};

}  // namespace frx::ingest
