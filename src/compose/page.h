// A page of text that grows line by line and never gets wider than its style allows, except for
// commands, which have to survive copying.
//
// Text from files may come in as it is: control characters and terminal escapes end here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compose/style.h"

namespace frx::compose {

// "text", or its beginning and "..." when it has more than `width` cells.
std::string clip(std::string_view text, std::size_t width);

// As frx::wrap, but a word longer than a line is cut, after a comma or slash if it has one.
std::vector<std::string> wrap_within(std::string_view text, std::size_t width);

std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

class Page {
 public:
  explicit Page(const Style& style);

  std::size_t width() const { return width_; }
  std::string paint(Tone tone, std::string_view text) const { return compose::paint(style_, tone, text); }

  void blank();
  // Between rules, at the top.
  void title(std::string_view text);
  // A blank line, the heading, a rule.
  void section(std::string_view heading);
  // "FINDINGS (3 of 8)", "FINDINGS (3)" when all are shown.
  void section(std::string_view heading, std::size_t shown, std::size_t all);
  // One line as it is; the caller has made it fit and safe.
  void raw(std::string_view line);
  void paragraph(std::string_view text, std::size_t indent = 2, Tone tone = Tone::plain);
  // `head` once, then the text wrapped beside it: "- a long text", "Why   : a long text". No text, no line.
  void hanging(std::string_view head, std::string_view text, std::size_t indent = 2, Tone head_tone = Tone::plain,
               Tone text_tone = Tone::plain);
  // "File             : kernel.ptx", the name filled up to `name_width`.
  void fact(std::string_view name, std::string_view value, std::size_t name_width = 17);
  // A line for a shell, however long.
  void command(std::string_view line, std::size_t indent = 4);

  std::string take() { return std::move(text_); }

 private:
  void rule(char stroke);

  Style style_;
  std::size_t width_;
  std::string text_;
};

}  // namespace frx::compose
