// An answer as people read it: blocks in their order, as plain values. How wide a page is, what colour or markup looks
// like and what has to be escaped is known to the writers of render/ only.
//
// Text from files may come in as it is: control characters and terminal escapes end in the writers.
//
// Blocks are nested by their indentation: what stands further in than an item before it belongs to that item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "answer/json_object.h"
#include "answer/text.h"

namespace frx::answer {

// "FRX trace analysis"; what is not ours stands in `names`: "a.cu -> b.cu".
struct Title {
  std::string words, names;
  bool is_ruled = true;
};

// What a section is to a reader. A page that is scrolled shows them in this order; text keeps its own, with what to do next at its end,
// beside the prompt.
enum class Part : std::uint8_t { verdict, advice, evidence, closing };

// "Measured metrics", with a remark beside it: "(weighted by time)".
struct Section {
  std::string heading, remark;
  bool is_ruled = true;
  Part part = Part::evidence;
  std::string drawn_as = {};  // the kind of a figure of the document that says the same, and more
};

// A paragraph, or with a head what hangs beside it: "- a long text", "Why   : a long text", "1. [HIGH] a title".
struct Item {
  std::string head;
  Text text;  // nothing is shown where it is empty
  std::size_t indent = 2;
  Tone head_tone = Tone::plain, tone = Tone::plain;
  std::optional<double> score = {};  // 0 to 1, shown as a bar before the head
  std::string source = {};           // of the value in the head, or of a fact, as in Cell
};

// A line that is not broken: of source it is cut, of a shell it is as long as it is.
struct Line {
  enum class Kind : std::uint8_t { source, command };
  std::string text;
  std::size_t indent = 4;
  Kind kind = Kind::command;
};

// Lines as they are; the caller has made them safe.
struct Verbatim {
  std::string text;
};

struct Blank {};

struct Column {
  std::string heading;
  std::size_t width = 0;  // in cells; 0: what is left of the line
  bool is_right = false;  // aligned
  std::size_t gap = 2;    // blanks before it
  bool is_name = false;
  Fit fit = Fit::wrap;  // of its cells, where its width is what is left of the line; else of its heading, which is cut or never
  Tone tone = Tone::plain;
  // Where lines are short it stands on one of its own below the row, as far in as this; a cell that is empty has none.
  std::optional<std::size_t> below = {};
};

struct Cell {
  Cell(std::string words) : text(std::move(words)) {}  // NOLINT(google-explicit-constructor)
  Cell(std::string_view words) : text(words) {}        // NOLINT(google-explicit-constructor)
  Cell(const char* words) : text(words) {}             // NOLINT(google-explicit-constructor)
  Cell(Status of) : status(of) {}                      // NOLINT(google-explicit-constructor)

  std::string text;
  std::optional<Status> status = {};
  std::string source = {};  // where the value was read or how it was computed: "report.csv:12"; "" where nothing is known of it
};

struct Row {
  std::vector<Cell> cells;
  Tone tone = Tone::plain;
};

struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows = {};
  std::size_t indent = 2;
  Tone heading_tone = Tone::plain;
  enum class Headings : std::uint8_t { shown, loud, implied } headings = Headings::shown;  // implied: where a page has no need of them

  void add(std::vector<Cell> cells, Tone tone = Tone::plain) { rows.push_back({std::move(cells), tone}); }
};

// Shares of a whole.
struct Bars {
  struct Bar {
    std::string label;
    double share = 0;  // 0 to 1
    Tone tone = Tone::plain;
  };
  std::string what;  // they are: "part of a step"
  std::vector<Bar> bars;
};

// Numbers that are drawn where that is possible; the blocks around it say the same in words. `kind` and `numbers` are those of
// web/src/data.ts. `numbers` is called when the document is written, and may look at what the answer keeps.
struct Figure {
  std::string kind, heading;
  std::string about;  // what it shows and how it is read, in a sentence or two
  std::function<void(JsonObject&)> numbers;
};

using Block = std::variant<Title, Section, Item, Line, Verbatim, Blank, Table, Bars, Figure>;

class Document {
 public:
  // The answer in one sentence, for pages that begin with it.
  std::string headline;

  const std::vector<Block>& blocks() const { return blocks_; }
  template <typename OneBlock>
  void add(OneBlock block) {
    blocks_.emplace_back(std::move(block));
  }
  void append(Document other);

  void blank() { add(Blank()); }
  void title(std::string_view words, std::string_view names = {});
  void section(std::string_view heading, std::string_view remark = {}, Part part = Part::evidence);
  void section(std::string_view heading, Part part) { section(heading, {}, part); }
  // "Findings (3 of 8)", "Findings (3)" when all are shown.
  void section(std::string_view heading, std::size_t shown, std::size_t all, Part part = Part::evidence);
  void paragraph(Text text, std::size_t indent = 2, Tone tone = Tone::plain);
  void hanging(std::string_view head, Text text, std::size_t indent = 2, Tone head_tone = Tone::plain, Tone tone = Tone::plain);
  // "File             : kernel.ptx", the name filled up to `name_width`.
  void fact(std::string_view name, Text value, std::size_t name_width = 17, std::string source = {});
  void command(std::string_view line, std::size_t indent = 4);
  void source_line(std::string_view line, std::size_t indent);

 private:
  std::vector<Block> blocks_;
};

}  // namespace frx::answer
