#include "render/markdown.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/render.h"

namespace frx::render {
namespace {

using answer::Tone;

// What begins a list where it stands at the beginning: "- a", "+ a", "1. a". What begins a quotation: "> a".
std::size_t length_of_mark(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits != text.npos && digits > 0 && text.substr(digits).starts_with(". ")) return digits + 2;
  return text.starts_with("- ") || text.starts_with("+ ") ? 2 : text.starts_with('>') ? 1 : 0;
}

std::string row_of(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += fmt::format(" {} |", cell);
  return row + "\n";
}

std::string_view word_for(answer::Status status) {
  constexpr std::string_view words[] = {"**bad**", "**look**", "ok", "-"};
  return words[static_cast<std::size_t>(status)];
}

std::string bold(std::string_view text) { return text.empty() ? "" : fmt::format("**{}**", text); }

std::string inline_of(const answer::Text& text) {
  std::string result;
  for (const answer::Span& span : text.spans()) {
    if (span.is_name) {
      result += markdown_code(span.text);
    } else {
      const std::string escaped = markdown_text(span.text);  // at the beginning of a span nothing but of a line is special
      result += result.empty() ? escaped : markdown_text("." + span.text).substr(1);
    }
  }
  return result;
}

// "Why   : " is a label, "- " and "1. [HIGH] " are the mark of a list and a label.
struct Head {
  std::string mark = "- ";
  std::string label;

  explicit Head(const answer::Item& item) {
    std::string_view head = trim(item.head);
    if (const std::size_t mark_length = length_of_mark(std::string(head) + " "); mark_length > 0) {
      const std::size_t end = std::min(mark_length, head.size());
      if (head[0] != '-' && head[0] != '+' && head[0] != '>') mark = std::string(trim(head.substr(0, end))) + " ";
      head = trim(head.substr(end));
    }
    const bool has_colon = head.ends_with(':');
    if (has_colon) head = trim(head.substr(0, head.size() - 1));
    label = markdown_text(head) + (has_colon ? ":" : "");
  }
};

class MarkdownWriter {
 public:
  // `title`, and one more for sections: "###" where the page stands below headings of others.
  explicit MarkdownWriter(const answer::Document& document, std::string_view title = "###")
      : blocks_(document.blocks()), title_(title), has_headline_(!document.headline.empty()) {
    if (has_headline_) text_ = fmt::format("{} frx: {}\n", title_, markdown_text(document.headline));
    for (at_ = 0; at_ < blocks_.size(); ++at_) std::visit(*this, blocks_[at_]);
  }

  std::string take() { return std::move(text_); }

  void operator()(const answer::Title& title) {
    if (has_headline_ && at_ == 0) return;  // said already
    heading(title_, title.words + (title.names.empty() ? "" : " " + title.names));
  }

  void operator()(const answer::Section& section) {
    heading(title_ + "#", section.heading + (section.remark.empty() ? "" : " " + section.remark));
  }

  void operator()(const answer::Item& item) {
    const Head head(item);
    const bool is_bold = item.tone == Tone::bold;
    std::string words = inline_of(item.text);
    words =
        is_bold ? bold(head.label.empty() ? words : head.label + " " + words) : bold(head.label) + (head.label.empty() ? "" : " ") + words;
    leave_items(item.indent);
    if (item.head.empty() && items_.empty() && !has_children(item.indent)) return paragraph(words);
    put_item(head.mark, words, item.indent);
  }

  void operator()(const answer::Line& line) {
    leave_items(line.indent);
    if (line.kind == answer::Line::Kind::source) return put_item("- ", markdown_code(line.text), line.indent);
    fence("sh", printable(line.text));
  }

  void operator()(const answer::Verbatim& lines) { fence("", lines.text); }
  void operator()(const answer::Blank&) {}

  void operator()(const answer::Table& table) {
    leave_items(0);
    std::vector<std::size_t> shown;  // columns that say anything
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const auto says_something = [&](const answer::Row& row) {
        return i < row.cells.size() && (row.cells[i].status || !row.cells[i].text.empty());
      };
      if (std::ranges::any_of(table.rows, says_something)) shown.push_back(i);
    }
    if (shown.empty()) return;
    gap();
    std::vector<std::string> headings;
    std::string rule = "|";
    for (const std::size_t i : shown) {
      headings.push_back(markdown_text(table.columns[i].heading));
      rule += table.columns[i].is_right ? "---:|" : "---|";
    }
    text_ += row_of(headings) + rule + "\n";
    for (const answer::Row& row : table.rows) text_ += row_of(cells_of(table, row, shown));
    last_ = Last::other;
  }

  void operator()(const answer::Figure&) {}

  void operator()(const answer::Bars& bars) {
    if (bars.bars.empty()) return;
    leave_items(0);
    gap();
    text_ += row_of({markdown_text(bars.what), "share", ""}) + "|---|---:|---|\n";
    for (const answer::Bars::Bar& bar : bars.bars) {
      std::string drawn;
      for (auto length = std::lround(bar.share * 25); length > 0; --length) drawn += "\u2588";
      text_ += row_of({markdown_text(bar.label), fmt::format("{:.1f} %", 100 * bar.share), drawn});
    }
    last_ = Last::other;
  }

 private:
  enum class Last : std::uint8_t { nothing, list, other };
  struct OpenItem {
    std::size_t indent;  // in the document
    std::size_t column;  // where its text begins
  };

  // An empty line, unless nothing stands before it.
  void gap() {
    if (!text_.empty()) text_ += '\n';
  }
  std::string blanks() const { return std::string(items_.empty() ? 0 : items_.back().column, ' '); }

  void heading(std::string_view level, std::string_view words) {
    items_.clear();
    gap();
    text_ += fmt::format("{} {}\n", level, markdown_text(words));
    last_ = Last::other;
  }

  void paragraph(std::string_view words) {
    gap();
    text_ += fmt::format("{}\n", words);
    last_ = Last::other;
  }

  void put_item(std::string_view mark, std::string_view words, std::size_t indent) {
    if (last_ != Last::list) gap();
    text_ += fmt::format("{}{}{}\n", blanks(), mark, words);
    items_.push_back({indent, blanks().size() + mark.size()});
    last_ = Last::list;
  }

  // Inside an item it belongs to the item.
  void fence(std::string_view language, std::string_view lines) {
    std::string marks = "```";
    while (lines.find(marks) != lines.npos) marks += '`';
    if (items_.empty()) gap();
    text_ += fmt::format("{}{}{}\n", blanks(), marks, language);
    for (const std::string_view line : split(lines, '\n')) text_ += fmt::format("{}{}\n", blanks(), line);
    text_ += fmt::format("{}{}\n", blanks(), marks);
    if (items_.empty()) last_ = Last::other;
  }

  // Those that what stands as far in as this is no part of.
  void leave_items(std::size_t indent) {
    while (!items_.empty() && items_.back().indent >= indent) items_.pop_back();
  }

  // What follows stands further in.
  bool has_children(std::size_t indent) const {
    if (at_ + 1 == blocks_.size()) return false;
    const answer::Block& next = blocks_[at_ + 1];
    if (const auto* item = std::get_if<answer::Item>(&next)) return item->indent > indent;
    const auto* line = std::get_if<answer::Line>(&next);
    return line && line->indent > indent;
  }

  static std::vector<std::string> cells_of(const answer::Table& table, const answer::Row& row, const std::vector<std::size_t>& shown) {
    std::vector<std::string> cells;
    for (const std::size_t i : shown) {
      if (i >= row.cells.size()) {
        cells.emplace_back();
      } else if (row.cells[i].status) {
        cells.emplace_back(word_for(*row.cells[i].status));
      } else {
        const std::string text = table.columns[i].is_name ? markdown_code(row.cells[i].text, true) : markdown_text(row.cells[i].text);
        cells.push_back(row.tone == Tone::red ? bold(text) : text);
      }
    }
    return cells;
  }

  const std::vector<answer::Block>& blocks_;
  std::string title_;
  bool has_headline_;
  std::size_t at_ = 0;
  std::vector<OpenItem> items_;
  Last last_ = Last::nothing;
  std::string text_;
};

bool can_write(const answer::Answer& answer) { return static_cast<bool>(answer.document); }

void write(const answer::Answer& answer, const Style& style, const answer::TextSink& sink) {
  sink(markdown_of(answer.document(style.detail)));
}

}  // namespace

constinit const Renderer markdown_renderer{"markdown", "page", can_write, write};

std::string markdown_of(const answer::Document& document) { return MarkdownWriter(document).take(); }

std::string page_of_file(const answer::Document& document, std::span<const PageLink> links) {
  std::string text = MarkdownWriter(document, "#").take();
  if (!links.empty()) text += '\n';
  for (const PageLink& link : links)
    text += fmt::format("- [{}]({}) {}\n", markdown_code(link.name), link.target, markdown_text(link.words));
  return text;
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view special = "\\`*_[]<|~#";
  const std::string plain = printable(text);
  const std::size_t mark = length_of_mark(plain);
  std::string result;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    // "1. a": the full stop makes the list; "- a", "> a": what stands before the blank.
    const bool makes_mark = mark == 1 ? i == 0 : mark > 1 && i + 2 == mark;
    if (makes_mark || special.find(plain[i]) != special.npos) result += '\\';
    result += plain[i] == '\n' ? ' ' : plain[i];
  }
  return result;
}

std::string markdown_code(std::string_view text, bool in_table) {
  if (text.empty()) return "";
  // Some renderers take the second backslash of `\\|` for the one that is escaped: the cell would end, and the rest of the name be text.
  if (in_table && text.find("\\|") != text.npos) return markdown_text(text);
  std::string inside;
  std::size_t longest = 0, run = 0;
  for (const char c : printable(text)) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    if (c == '|' && in_table) inside += '\\';
    inside += c == '\n' ? ' ' : c;
  }
  const std::string marks(longest + 1, '`');
  const std::string_view blank = longest > 0 ? " " : "";
  return fmt::format("{}{}{}{}{}", marks, blank, inside, blank, marks);
}

}  // namespace frx::render
