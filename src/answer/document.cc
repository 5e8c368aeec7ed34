#include "answer/document.h"

#include "base/text.h"

namespace frx::answer {

std::string Text::plain() const {
  std::string all;
  for (const Span& span : spans_) all += span.text;
  return all;
}

Tone tone_of(Status status) {
  switch (status) {
    case Status::critical: return Tone::red;
    case Status::warning: return Tone::yellow;
    case Status::ok: return Tone::green;
    case Status::missing: break;
  }
  return Tone::dim;
}

Tone tone_of_priority(std::string_view priority) {
  return priority == "high" ? Tone::red : priority == "medium" ? Tone::yellow : Tone::plain;
}

void Document::append(Document other) {
  for (Block& block : other.blocks_) blocks_.push_back(std::move(block));
}

void Document::title(std::string_view words, std::string_view names) { add(Title{std::string(words), std::string(names)}); }

void Document::section(std::string_view heading, std::string_view remark, Part part) {
  add(Section{std::string(heading), std::string(remark), true, part});
}

void Document::section(std::string_view heading, std::size_t shown, std::size_t all, Part part) {
  section(heading, shown < all ? fmt::format("({} of {})", shown, all) : fmt::format("({})", shown), part);
}

void Document::paragraph(Text text, std::size_t indent, Tone tone) { hanging("", std::move(text), indent, Tone::plain, tone); }

void Document::hanging(std::string_view head, Text text, std::size_t indent, Tone head_tone, Tone tone) {
  if (!text.empty()) add(Item{std::string(head), std::move(text), indent, head_tone, tone});
}

void Document::fact(std::string_view name, Text value, std::size_t name_width, std::string source) {
  if (!value.empty()) add(Item{pad_right(name, name_width) + ": ", std::move(value), 2, Tone::dim, Tone::plain, {}, std::move(source)});
}

void Document::command(std::string_view line, std::size_t indent) { add(Line{std::string(line), indent, Line::Kind::command}); }

void Document::source_line(std::string_view line, std::size_t indent) { add(Line{std::string(line), indent, Line::Kind::source}); }

}  // namespace frx::answer
