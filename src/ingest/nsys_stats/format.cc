// What `nsys stats` and `nsys profile --stats=true` print: tables as text or CSV, alone or in the log of a job.
//
//   [5/8] Executing 'cuda_gpu_kern_sum' stats report            or   ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):
//
//    Time (%)  Total Time (ns)  Instances  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)             Name
//    --------  ---------------  ---------  --------  --------  --------  --------  -----------  --------------------------
//       100.0        5,954,009         13  458000.7  458397.0    455197    460605       1745.3  add(int, float *, float *)
//
//   SKIPPED: report2.sqlite does not contain CUDA kernel data.
//
//   Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
//   100.0,5954009,13,458000.7,458397.0,455197,460605,1745.3,"add(int, float *, float *)"
//
// Which tables there are is told in header.h. Names of the text end after 100 characters, with a sign for the rest. Bars of progress are
// written over themselves with carriage returns.

#include <algorithm>

#include "base/text.h"
#include "ingest/csv.h"
#include "ingest/format.h"
#include "ingest/nsys_stats/cells.h"
#include "ingest/nsys_stats/rows.h"
#include "ingest/text_table.h"

namespace frx::ingest {
namespace nsys_stats {
namespace {

// What a terminal shows of a line that was written over.
std::string_view last_writing(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t at = line.rfind('\r');
  return at == line.npos ? line : line.substr(at + 1);
}

std::string_view between(std::string_view line, std::string_view before, std::string_view after) {
  const std::size_t begin = line.find(before);
  if (begin == line.npos) return {};
  line.remove_prefix(begin + before.size());
  return line.substr(0, line.find(after));
}

// The id of the report whose table follows, "" when the line is no heading.
std::string_view report_in(std::string_view line) {
  line = trim(line);
  if (line.starts_with('[') && line.ends_with(" stats report")) return between(line, "Executing '", "'");
  if (line.starts_with("** ") && line.ends_with("):")) return line.substr(line.rfind('(') + 1, line.size() - line.rfind('(') - 3);
  if (!line.starts_with("Processing [")) return {};
  const std::string_view script = file_name_in(between(line, "] with [", "]"));
  return script.substr(0, script.find(".py"));
}

std::string_view reason_in(std::string_view line) {
  line = trim(line);
  const bool is_reason = line.starts_with("SKIPPED: ") && line.find(" does not contain ") != line.npos;
  return is_reason ? line.substr(9) : std::string_view();
}

// "CUDA Kernel Statistics (nanoseconds)": until 2020 the titles have no units.
std::string_view unit_in(std::string_view line) {
  line = trim(line);
  return line.find(" Statistics (") == line.npos ? std::string_view() : between(line, " Statistics (", ")");
}

// "CUDA Memory Operation Statistics (by time)" above its table, without the colon.
std::string_view heading_in(std::string_view line) {
  line = trim(line);
  const std::size_t end = line.find(" Statistics");
  if (end == line.npos || line.size() > 80 || !(line.ends_with(':') || line.ends_with(')'))) return {};
  return line.ends_with(':') ? line.substr(0, line.size() - 1) : line;
}

bool may_be_titles(std::string_view line) {
  line = trim(line);
  if (line.starts_with('"')) line.remove_prefix(1);
  return line.starts_with("Time") || line.starts_with("Start") || line.starts_with("Total");
}

struct Titles {
  std::optional<Header> header;
  bool csv = false;
};

Titles titles_in(std::string_view line, std::string_view unit) {
  if (!may_be_titles(line)) return {};
  if (line.find(',') == line.npos) return {Header::of(cells_two_blanks_apart(line), unit), false};
  std::vector<std::string_view> fields;
  if (split_csv(trim(line), fields) != Split::ok) return {};
  return {Header::of(fields, unit), true};
}

class Reader {
 public:
  Reader(Input& input, model::Session& into) : input_(input), rows_(input, into) {}

  Result<> read(std::string_view line) {
    bool more = true;
    while (more) {
      if (input_.progress && (input_.lines.line_number() & 0x3FFF) == 0) input_.progress(input_.lines.bytes_read());
      take(last_writing(line));
      TRY_ASSIGN(more, input_.lines.next(line));
    }
    return rows_.finish();
  }

 private:
  void take(std::string_view line) {
    if (trim(line).empty() || take_words(line)) return;
    if (const std::optional<Columns> columns = Columns::from_dashes(line)) return start_text(*columns);
    Titles titles = titles_in(line, unit_);
    if (titles.header && titles.csv) {
      columns_.reset();
      return rows_.start_table(std::move(*titles.header), "CSV");
    }
    if (titles.header) {
      titles_ = std::move(titles.header);
    } else if (rows_.in_table()) {
      columns_ ? take_text(line) : take_csv(line);
    }
  }

  bool take_words(std::string_view line) {
    const std::string_view report = report_in(line), reason = reason_in(line), unit = unit_in(line), heading = heading_in(line);
    if (!report.empty()) rows_.name_report(report);
    if (!heading.empty()) rows_.name_table(heading);
    if (!reason.empty()) rows_.take_reason(reason);
    if (!unit.empty()) unit_ = unit;
    return !report.empty() || !reason.empty() || !unit.empty() || !heading.empty();
  }

  // Dashes end a table, also below unknown titles.
  void start_text(const Columns& columns) {
    rows_.end_table();
    columns_.reset();
    if (titles_ && titles_->names.size() == columns.size()) {
      columns_ = columns;
      rows_.start_table(std::move(*titles_), "text");
    }
    titles_.reset();
    unit_.clear();
  }

  void take_text(std::string_view line) {
    const auto cells = columns_->cut(line);
    if (!cells) return;
    const bool goes_on = std::all_of(cells->begin(), cells->end() - 1, [](std::string_view cell) { return cell.empty(); });
    goes_on ? rows_.continue_name(cells->back()) : rows_.take(*cells);
  }

  void take_csv(std::string_view line) {
    const std::size_t columns = rows_.header().names.size();
    const bool whole = split_csv(trim(line), fields_) == Split::ok;
    if (whole && fields_.size() > columns) join_name(line);
    if (whole && fields_.size() == columns) return rows_.take(fields_);
    if (!fields_.empty() && number_in(fields_[0], NumberStyle::point)) rows_.take_misfit();
  }

  // A name with commas that a script wrote without quotes; it is the last column.
  void join_name(std::string_view line) {
    const std::size_t last = rows_.header().names.size() - 1;
    if (rows_.header().name != static_cast<int>(last)) return;
    line = trim(line);
    fields_[last] = line.substr(static_cast<std::size_t>(fields_[last].data() - line.data()));
    fields_.resize(last + 1);
  }

  Input& input_;
  Rows rows_;
  std::optional<Header> titles_;    // of text, until the dashes below them
  std::optional<Columns> columns_;  // of the current table, where it is text
  std::string unit_;
  std::vector<std::string_view> fields_;
};

bool begins(std::string_view line, const knowledge::MetricCatalogue&) {
  line = last_writing(line);
  return !report_in(line).empty() || !reason_in(line).empty() || !unit_in(line).empty() || titles_in(line, {}).header.has_value();
}

Result<> read(Input& input, std::string_view first, model::Session& into) { return Reader(input, into).read(first); }

}  // namespace
}  // namespace nsys_stats

constinit const Format nsys_stats_format = {
    .id = "nsys-stats",
    .title = "output of nsys stats",
    .begins = nsys_stats::begins,
    .read_lines = nsys_stats::read,
};

}  // namespace frx::ingest
