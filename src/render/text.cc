// A document as a page of a terminal.

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/render.h"

namespace frx::render {
namespace {

using answer::Column;
using answer::Fit;
using answer::Tone;

constexpr std::size_t narrowest = 40;
constexpr std::size_t widest = 100;     // longer lines are hard to read
constexpr std::size_t rule_width = 68;  // as documented
constexpr std::size_t least_of_a_name = 12;

std::string blanks(std::size_t count) { return std::string(count, ' '); }

// "[########  ]": floor(score * 10) of ten.
std::string score_bar(double score) {
  const auto full = static_cast<std::size_t>(std::clamp(std::floor(score * 10 + 1e-9), 0.0, 10.0));
  return "[" + std::string(full, '#') + blanks(10 - full) + "] ";
}

class TextWriter {
 public:
  explicit TextWriter(const Style& style)
      : style_(style), width_(std::clamp(static_cast<std::size_t>(std::max(style.width, 0)), narrowest, widest)) {}

  std::string take() { return std::move(text_); }

  void operator()(const answer::Title& title) {
    const std::string line = to_upper(title.words) + (title.names.empty() ? "" : " " + printable(title.names));
    if (!title.is_ruled) return put(line);
    rule('=');
    put(paint(style_, Tone::bold, line));
    rule('=');
  }

  void operator()(const answer::Section& section) {
    const std::string line = to_upper(section.heading) + (section.remark.empty() ? "" : " " + section.remark);
    put("");
    put(section.is_ruled ? paint(style_, Tone::bold, line) : line);
    if (section.is_ruled) rule('-');
  }

  void operator()(const answer::Item& item) {
    const std::string head = (item.score ? score_bar(*item.score) : "") + item.head;
    const std::size_t left = item.indent + display_width(head);
    const std::vector<std::string> lines = wrap_within(fitted(item.text, left), room_after(left));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      put((i == 0 ? blanks(item.indent) + paint(style_, item.head_tone, head) : blanks(left)) + paint(style_, item.tone, lines[i]));
    }
  }

  void operator()(const answer::Line& line) {
    const bool is_command = line.kind == answer::Line::Kind::command;
    const std::string text = printable(line.text);
    put(blanks(line.indent) + (is_command ? text : paint(style_, Tone::dim, clip(text, room_after(line.indent)))));
  }

  void operator()(const answer::Verbatim& lines) { put(lines.text); }
  void operator()(const answer::Blank&) { put(""); }

  void operator()(const answer::Table& table) {
    if (table.headings != answer::Table::Headings::implied) {
      const std::string line = clip(heading_line(table), width_);
      if (!trim(line).empty()) put(paint(style_, table.heading_tone, line));
    }
    for (const answer::Row& row : table.rows) add_row(table, row);
  }

  void operator()(const answer::Figure&) {}

  void operator()(const answer::Bars& bars) {
    for (const answer::Bars::Bar& bar : bars.bars) {
      const std::size_t width = width_ > 42 ? width_ - 36 : 8;
      const auto length = static_cast<std::size_t>(std::lround(bar.share * static_cast<double>(width)));
      const std::string row = fmt::format("  {:<23}{:>5.1f} %", bar.label, 100 * bar.share);
      put(length == 0 ? row : row + "  " + paint(style_, bar.tone, std::string(length, '#')));
    }
  }

 private:
  void put(std::string_view line) {
    text_ += line;
    text_ += '\n';
  }
  void rule(char stroke) { put(paint(style_, Tone::dim, std::string(std::min(rule_width, width_), stroke))); }
  std::size_t room_after(std::size_t cells) const { return width_ > cells ? width_ - cells : 0; }

  std::string cut(std::string_view text, Fit fit, std::size_t width) const {
    switch (fit) {
      case Fit::wrap:
      case Fit::whole: break;
      case Fit::cut: return clip(text, width);
      case Fit::half: return clip(text, width_ / 2);
      case Fit::shorten: return shorten(text, width);
    }
    return std::string(text);
  }

  // On a line of which `left` cells are taken.
  std::string fitted(const answer::Text& text, std::size_t left) const {
    const std::size_t all = display_width(printable(text.plain()));
    std::string line;
    for (const answer::Span& span : text.spans()) {
      const std::string shown = printable(span.text);
      line += cut(shown, span.fit, room_after(left + all - display_width(shown)));
    }
    return line;
  }

  std::string heading_line(const answer::Table& table) const {
    std::string line = blanks(table.indent);
    for (const Column& column : table.columns) {
      if (column.below) continue;
      std::string heading = table.headings == answer::Table::Headings::loud ? to_upper(column.heading) : column.heading;
      if (column.width > 0 && column.fit == Fit::cut) heading = clip(heading, column.width - 1);  // and a blank before it
      line += (&column == table.columns.data() ? "" : blanks(column.gap)) + padded(heading, column);
    }
    while (line.ends_with(' ')) line.pop_back();
    return clip(line, width_);
  }

  static std::string padded(std::string_view text, const Column& column) {
    return column.is_right ? pad_left(text, column.width) : pad_right(text, column.width);
  }

  void add_row(const answer::Table& table, const answer::Row& row) {
    std::string line = blanks(table.indent), rest;
    std::size_t taken = table.indent, planned = table.indent;  // cells: by what stands there, and by the widths of the columns
    std::vector<std::string> more;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Column& column = table.columns[i];
      const answer::Cell& cell = row.cells[i];
      if (column.below) continue;
      const std::string text = cell.status ? std::string(badge(*cell.status)) : printable(cell.text);
      const std::size_t gap = i == 0 ? 0 : column.gap;
      taken += gap;
      planned += gap + column.width;
      line += blanks(gap);
      if (column.width == 0) {
        line += last_cell(text, column, taken, planned, more);
        continue;
      }
      const std::string filled = padded(text, column);
      taken += display_width(filled);
      line += paint(style_, cell.status ? tone_of(*cell.status) : column.tone, filled);
    }
    while (line.ends_with(' ')) line.pop_back();
    put(paint(style_, row.tone, line));
    for (const std::string& one : more) put(blanks(planned) + one);
    add_cells_below(table, row);
  }

  // What of it stands on the line; the other lines of it go to `more`. It does not fit beside a cell that is too wide.
  std::string last_cell(const std::string& text, const Column& column, std::size_t taken, std::size_t planned,
                        std::vector<std::string>& more) const {
    if (column.fit != Fit::wrap) return paint(style_, column.tone, cut(text, column.fit, std::max(room_after(taken), least_of_a_name)));
    more = wrap_within(text, room_after(planned));
    if (taken > planned || more.empty()) return "";
    const std::string first = std::move(more.front());
    more.erase(more.begin());
    return paint(style_, column.tone, first);
  }

  void add_cells_below(const answer::Table& table, const answer::Row& row) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Column& column = table.columns[i];
      if (!column.below || row.cells[i].text.empty()) continue;
      const std::string text = cut(printable(row.cells[i].text), column.fit, room_after(*column.below));
      put(blanks(*column.below) + paint(style_, column.tone, text));
    }
  }

  Style style_;
  std::size_t width_;
  std::string text_;
};

}  // namespace

namespace {

bool can_write(const answer::Answer& answer) { return static_cast<bool>(answer.document); }

void write(const answer::Answer& answer, const Style& style, const answer::TextSink& sink) {
  sink(text_of(answer.document(style.detail), style));
}

}  // namespace

constinit const Renderer text_renderer{"text", "page", can_write, write};

std::string text_of(const answer::Document& document, const Style& style) {
  TextWriter writer(style);
  for (const answer::Block& block : document.blocks()) std::visit(writer, block);
  return writer.take();
}

}  // namespace frx::render
