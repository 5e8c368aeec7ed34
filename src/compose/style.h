// How a terminal report looks: its width, and colour when the caller wants it.
#pragma once

#include <string>
#include <string_view>

namespace frx::compose {

struct Style {
  int width = 80;
  bool colour = false;  // decided by the caller; without it no escape sequence is ever written
};

enum class Tone { plain, bold, dim, red, yellow, green };

std::string paint(const Style& style, Tone tone, std::string_view text);

// How bad something is. The documented badges: [!!], [ !], [ok], [--].
enum class Status { critical, warning, ok, missing };

std::string_view badge(Status status);
Tone tone_of(Status status);

// high: red, medium: yellow, everything else as it is.
Tone tone_of_priority(std::string_view priority);

}  // namespace frx::compose
