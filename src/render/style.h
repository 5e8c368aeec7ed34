// How a page for a terminal looks: its width, and colour when the caller wants it.
#pragma once

#include <string>
#include <string_view>

#include "answer/answer.h"

namespace frx::render {

struct Style {
  int width = 80;
  bool colour = false;  // decided by the caller; without it no escape sequence is ever written
  answer::Detail detail = answer::Detail::full;
  std::string pages = {};  // the address at which docs/ is published, for links to pages of rules; "" where it is not known
};

std::string paint(const Style& style, answer::Tone tone, std::string_view text);

// The documented badges: [!!], [ !], [ok], [--].
std::string_view badge(answer::Status status);

// As frx::wrap, but a word longer than a line is cut, after a comma or slash if it has one, and a number keeps its unit.
std::vector<std::string> wrap_within(std::string_view text, std::size_t width);

// A page that never gets wider than its style allows, except for commands, which have to survive copying.
std::string text_of(const answer::Document& document, const Style& style);

}  // namespace frx::render
