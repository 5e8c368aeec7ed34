#include "compose/style.h"

#include <array>

namespace frx::compose {

std::string paint(const Style& style, Tone tone, std::string_view text) {
  if (!style.colour || tone == Tone::plain || text.empty()) return std::string(text);
  constexpr std::array<std::string_view, 6> codes = {"0", "1", "2", "31", "33", "32"};
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<std::size_t>(tone)], text);
}

std::string_view badge(Status status) {
  constexpr std::array<std::string_view, 4> badges = {"[!!]", "[ !]", "[ok]", "[--]"};
  return badges[static_cast<std::size_t>(status)];
}

Tone tone_of(Status status) {
  constexpr std::array tones = {Tone::red, Tone::yellow, Tone::green, Tone::dim};
  return tones[static_cast<std::size_t>(status)];
}

Tone tone_of_priority(std::string_view priority) {
  return priority == "high" ? Tone::red : priority == "medium" ? Tone::yellow : Tone::plain;
}

}  // namespace frx::compose
