// Text of nvprof as it stands in terminals and job logs, with the same tables as its CSV (nvprof_csv.cc):
//
//   summary  ==99== Profiling result:
//                        Type  Time(%)      Time     Calls       Avg       Min       Max  Name
//             GPU activities:   70.13%  288.51ms      6000  48.084us  43.330us  1.7364ms  axpy(int, float*)
//                               29.87%  122.90ms      2000  61.450us  60.512us  64.016us  [CUDA memcpy DtoH]
//                  API calls:   99.00%  90.000ms         1  90.000ms  90.000ms  90.000ms  cudaMalloc
//   trace       Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*  ...  Name
//            366.05ms  3.2640us              (1 1 1)       (32 32 1)        32  8.0000KB        0B  ...  axpy(int, float*) [124]
//   metrics  Invocations      Metric Name              Metric Description         Min         Max         Avg
//            Device "GeForce GTX 970 (0)"
//                Kernel: axpy(int, float*)
//                      3              ipc                    Executed IPC    1.500000    1.500000    1.500000
//
// Cells are at least two blanks apart and hold single blanks only; each carries its own unit. Until CUDA 8 the summary has no
// types: calls follow a line "==99== API calls:". The program and other processes print into the tables, so that a row
// is what fits the columns in number and kind.

#include <algorithm>
#include <array>

#include "base/text.h"
#include "ingest/format.h"
#include "ingest/nvprof_rows.h"
#include "ingest/text_table.h"

namespace frx::ingest {
namespace {

using Cells = std::vector<std::string_view>;

bool is_all_digits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }
bool begins_with_digit(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

enum class TextTitles { none, summary, trace, metrics, memory };

bool has_title(const Cells& cells, std::string_view title) { return std::find(cells.begin(), cells.end(), title) != cells.end(); }

TextTitles titles_of(std::string_view line) {
  // Cheap tests first: this is called for every line. Titles hold neither commas nor quotes.
  if (line.size() < 16 || line.find_first_of(",\"|") != line.npos || line.find("  ") == line.npos) return TextTitles::none;
  if (line.find("Name") == line.npos && line.find("Kernel") == line.npos) return TextTitles::none;
  const Cells cells = cells_two_blanks_apart(line);
  if (has_title(cells, "Time(%)") && has_title(cells, "Time") && has_title(cells, "Calls") && cells.back() == "Name")
    return TextTitles::summary;
  if (has_title(cells, "Invocations") && (has_title(cells, "Metric Name") || has_title(cells, "Event Name"))) return TextTitles::metrics;
  if (cells[0] == "Start" && has_title(cells, "Duration") && cells.back() == "Name") return TextTitles::trace;
  if (cells[0] == "Device" && has_title(cells, "Context") && has_title(cells, "Stream") && has_title(cells, "Kernel"))
    return TextTitles::trace;
  if (has_title(cells, "Avg Size") && has_title(cells, "Total Time")) return TextTitles::memory;
  return TextTitles::none;
}

// The title that the CSV has for a column of the text.
std::string_view title_in_csv(std::string_view title) {
  if (title == "Regs*" || title == "Regs") return "Registers Per Thread";
  if (title == "SSMem*" || title == "SSMem") return "Static SMem";
  if (title == "DSMem*" || title == "DSMem") return "Dynamic SMem";
  return title;
}

// "(16 4 1)" -> three cells; three empty ones for "-".
void add_dims(Cells& cells, std::string_view text) {
  std::array<std::string_view, 3> dims;
  if (text.starts_with('(') && text.ends_with(')')) {
    const std::vector<std::string_view> parts = split(text.substr(1, text.size() - 2), ' ');
    if (parts.size() == 3) std::copy(parts.begin(), parts.end(), dims.begin());
  }
  cells.insert(cells.end(), dims.begin(), dims.end());
}

class NvprofText {
 public:
  NvprofText(Input& input, model::Session& session) : input_(input), rows_(input, session) {}

  Result<> read(std::string_view line) {
    bool more = true;
    while (more) {
      if (input_.progress && (input_.lines.line_number() & 0x3FFF) == 0) input_.progress(input_.lines.bytes_read());
      take(line);
      TRY_ASSIGN(more, input_.lines.next(line));
    }
    if (cut_names_) rows_.notes().add(0, "nvprof cut the names of devices off after 15 characters; --gpu-model says which GPU it was");
    return rows_.finish();
  }

 private:
  void take(std::string_view line) {
    if (line.starts_with("==")) return rows_.take_tool_line(line);
    if (trim(line).empty() || take_titles(line)) return;
    switch (titles_) {
      case TextTitles::summary: return take_activity(line);
      case TextTitles::trace: return take_launch(line);
      case TextTitles::metrics: return take_metric(line);
      case TextTitles::memory: take_device(trim(line)); return;
      case TextTitles::none: return;
    }
  }

  bool take_titles(std::string_view line) {
    // The device stands above the titles of its transfers.
    if (titles_ != TextTitles::metrics && take_device(trim(line))) return true;
    const TextTitles titles = titles_of(line);
    if (titles == TextTitles::none) return false;
    titles_ = titles;
    type_.clear();
    kernel_.clear();
    columns_.clear();
    for (const std::string_view title : cells_two_blanks_apart(line)) columns_.emplace_back(title);
    Cells csv;
    if (titles == TextTitles::metrics) csv = {"Device", "Kernel"};
    if (titles == TextTitles::memory) csv = {"Device"};
    for (const std::string& title : columns_) {
      if (title == "Grid Size")
        csv.insert(csv.end(), {"Grid X", "Grid Y", "Grid Z"});
      else if (title == "Block Size")
        csv.insert(csv.end(), {"Block X", "Block Y", "Block Z"});
      else
        csv.push_back(title_in_csv(title));
    }
    if (std::optional<NvprofHeader> header = NvprofHeader::of(csv)) {
      rows_.start_table(std::move(*header), NvprofRows::Units::in_cells);
    } else {
      titles_ = TextTitles::none;
    }
    return true;
  }

  // `Device "GeForce GTX 970 (0)"`.
  bool take_device(std::string_view text) {
    if (!text.starts_with("Device \"") || !text.ends_with('"')) return false;
    device_ = text.substr(8, text.size() - 9);
    rows_.name_device(device_);
    return true;
  }

  // Cells of a row, of which the last takes the rest of the line; empty when they are fewer than `columns`.
  static Cells cells_with_rest(std::string_view line, std::size_t columns) {
    Cells cells = cells_two_blanks_apart(line);
    if (columns == 0 || cells.size() < columns) return {};
    if (cells.size() > columns) {
      const auto begin = static_cast<std::size_t>(cells[columns - 1].data() - line.data());
      cells.resize(columns);
      cells.back() = trim(line.substr(begin));
    }
    return cells;
  }

  void take_activity(std::string_view line) {
    const bool typed = columns_.front() == "Type";
    std::string_view rest = trim(line);
    if (const std::size_t colon = rest.find(':'); typed && colon != rest.npos && !begins_with_digit(rest)) {
      const std::string_view after = trim(rest.substr(colon + 1));
      if (!begins_with_digit(after)) return;
      type_ = rest.substr(0, colon);
      rest = after;
    }
    Cells cells = cells_with_rest(rest, columns_.size() - (typed ? 1 : 0));
    if (cells.size() < 4 || !cells[0].ends_with('%') || !begins_with_digit(cells[1]) || !is_all_digits(cells[2])) return;
    if (typed) cells.insert(cells.begin(), type_);
    rows_.take(cells);
  }

  void take_launch(std::string_view line) {
    const bool name_is_last = columns_.back() == "Name";
    const Cells cells = name_is_last ? cells_with_rest(line, columns_.size()) : cells_two_blanks_apart(line);
    if (cells.size() != columns_.size() || (columns_[0] == "Start" && (!begins_with_digit(cells[0]) || !begins_with_digit(cells[1]))))
      return;
    Cells csv;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns_[i] == "Stream" && !is_all_digits(cells[i])) return;
      if (columns_[i] == "Device" && cells[i] != "-" && !cells[i].ends_with(')')) cut_names_ = true;
      if (columns_[i] == "Grid Size" || columns_[i] == "Block Size")
        add_dims(csv, cells[i]);
      else
        csv.push_back(cells[i] == "-" ? std::string_view() : cells[i]);
    }
    rows_.take(csv);
  }

  void take_metric(std::string_view line) {
    const std::string_view text = trim(line);
    if (take_device(text)) {
      kernel_.clear();
      return;
    }
    if (text.starts_with("Kernel: ")) {
      kernel_ = trim(text.substr(8));
      return;
    }
    Cells cells = cells_two_blanks_apart(text);
    if (kernel_.empty() || cells.size() != columns_.size() || !is_all_digits(cells[0])) return;
    cells.insert(cells.begin(), {device_, kernel_});
    rows_.take(cells);
  }

  Input& input_;
  NvprofRows rows_;
  TextTitles titles_ = TextTitles::none;
  std::vector<std::string> columns_;  // their titles
  std::string type_, device_, kernel_;
  bool cut_names_ = false;
};

bool nvprof_text_begins(std::string_view line, const knowledge::MetricCatalogue&) { return titles_of(line) != TextTitles::none; }

Result<> read_nvprof_text(Input& input, std::string_view first, model::Session& into) { return NvprofText(input, into).read(first); }

}  // namespace

constinit const Format nvprof_text_format = {
    .id = "nvprof-text",
    .title = "nvprof text",
    .begins = nvprof_text_begins,
    .read_lines = read_nvprof_text,
};

}  // namespace frx::ingest
