#include "base/safe_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"

namespace frx {
namespace {

struct Range {
  std::uint32_t first, last;
};

// Controls, marks of direction, and what has no shape of its own, in order.
constexpr Range hidden[] = {{0x00, 0x1F},     {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},    {0x61C, 0x61C},
                            {0x115F, 0x1160}, {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},  {0x2028, 0x202E},
                            {0x2060, 0x206F}, {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},  {0xFFA0, 0xFFA0},
                            {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

// White space of other alphabets and widths: it has a width, and is shown.
constexpr Range wide_blanks[] = {{0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};

template <std::size_t Size>
bool is_in(const Range (&ranges)[Size], std::uint32_t point) {
  const auto* after = std::ranges::upper_bound(ranges, point, {}, &Range::first);
  return after != std::begin(ranges) && point <= std::prev(after)->last;
}

bool is_hidden(std::uint32_t point) { return is_in(hidden, point); }

// Of a valid sequence.
std::uint32_t code_point(std::string_view sequence) {
  if (sequence.size() == 1) return static_cast<unsigned char>(sequence[0]);
  std::uint32_t point = static_cast<unsigned char>(sequence[0]) & (0x7Fu >> sequence.size());
  for (const char byte : sequence.substr(1)) point = point << 6 | (static_cast<unsigned char>(byte) & 0x3F);
  return point;
}

void add_escape(std::string& out, std::uint32_t point) {
  auto to = std::back_inserter(out);
  if (point < 0x80) {
    fmt::format_to(to, "\\x{:02x}", point);
  } else if (point < 0x10000) {
    fmt::format_to(to, "\\u{:04x}", point);
  } else {
    fmt::format_to(to, "\\U{:08x}", point);
  }
}

bool is_ascii_shape(char c) { return c >= ' ' && c < '\x7F'; }
bool is_plain(char c) { return is_ascii_shape(c) | (c == '\n') | (c == '\t'); }

// Services look for a command behind any white space, not that of ASCII alone.
bool is_blank(std::string_view character) {
  if (character == " " || character == "\t") return true;
  return utf8_length(character) == character.size() && is_in(wide_blanks, code_point(character));
}

// Adds the character at the start of `text`, and returns its length in bytes.
std::size_t add_character(std::string& out, std::string_view text) {
  const std::size_t size = utf8_length(text);
  if (size == 0) {
    out += "\xEF\xBF\xBD";
    return 1;
  }
  const std::uint32_t point = code_point(text.substr(0, size));
  if (is_hidden(point)) {
    add_escape(out, point);
  } else {
    out += text.substr(0, size);
  }
  return size;
}

// The first bytes of a sequence that may go on.
bool may_be_cut(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
  return text.size() < size && std::ranges::all_of(text.substr(1), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
}

// A word that a build service obeys, at the start of a line or anywhere, and how it is shown.
struct ServiceWord {
  BuildService service;
  bool only_begins_line;
  std::string_view word, harmless;
};
constexpr std::array<ServiceWord, 4> service_words{{{BuildService::github, true, "::", "\\u003a:"},
                                                    {BuildService::github, false, "##[", "#\\u0023["},
                                                    {BuildService::azure, false, "##vso[", "#\\u0023vso["},
                                                    {BuildService::teamcity, false, "##teamcity[", "#\\u0023teamcity["}}};

}  // namespace

std::string printable(std::string_view text) {
  if (std::ranges::all_of(text, is_ascii_shape)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const char c = text.front();
    if (is_ascii_shape(c)) {
      result += c;
      text.remove_prefix(1);
    } else if (c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f') {
      result += ' ';
      text.remove_prefix(1);
    } else {
      text.remove_prefix(add_character(result, text));
    }
  }
  return result;
}

// The colours of render/style.cc and cli/io.cc.
bool SafeText::take_colour(std::string_view text, std::size_t& used, bool is_end) {
  constexpr std::array<std::string_view, 7> codes = {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[34m"};
  for (const std::string_view code : codes) {
    if (text.starts_with(code)) {
      shown_ += code;
      used = code.size();
      return true;
    }
    if (!is_end && code.starts_with(text)) {
      used = 0;
      return true;
    }
  }
  return false;
}

bool SafeText::take_command(std::string_view text, std::size_t& used, bool is_end) {
  for (const ServiceWord& one : service_words) {
    if (one.service != service_ || (one.only_begins_line && !begins_line_)) continue;
    if (text.starts_with(one.word)) {
      shown_ += one.harmless;
      begins_line_ = false;
      used = one.word.size();
      return true;
    }
    if (!is_end && one.word.starts_with(text)) {
      used = 0;
      return true;
    }
  }
  return false;
}

// Shows the start of `text`; `used` says how many bytes. False: the next piece is needed.
bool SafeText::take(std::string_view text, std::size_t& used, bool is_end) {
  const char c = text.front();
  if (c == '\x1b' && has_colours_ && take_colour(text, used, is_end)) return used > 0;
  if ((c == ':' || c == '#') && service_ != BuildService::none && take_command(text, used, is_end)) return used > 0;
  if (!is_end && static_cast<unsigned char>(c) >= 0xC2 && may_be_cut(text)) return false;
  if (c == '\n' || c == '\t') {
    shown_ += c;
    used = 1;
  } else {
    used = add_character(shown_, text);
  }
  begins_line_ = c == '\n' || (begins_line_ && is_blank(text.substr(0, used)));
  return true;
}

// How many bytes at the start need no look one by one.
std::size_t SafeText::plain_part(std::string_view text) {
  if (service_ != BuildService::none) return 0;
  // Blocks without a branch inside, which the compiler turns into vector instructions.
  constexpr std::size_t block = 64;
  std::size_t plain = 0;
  for (; plain + block <= text.size(); plain += block) {
    unsigned char others = 0;
    for (std::size_t i = plain; i < plain + block; ++i) others |= static_cast<unsigned char>(!is_plain(text[i]));
    if (others != 0) break;
  }
  while (plain < text.size() && is_plain(text[plain])) ++plain;
  return plain;
}

std::string_view SafeText::shown(std::string_view text, bool is_end) {
  shown_.clear();
  while (!text.empty()) {
    const std::size_t plain = plain_part(text);
    shown_ += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    std::size_t used = 0;
    if (!take(text, used, is_end)) break;
    text.remove_prefix(used);
  }
  kept_ = text;
  return shown_;
}

std::string_view SafeText::show(std::string_view piece) {
  if (kept_.empty() && plain_part(piece) == piece.size()) return piece;
  if (kept_.empty()) return shown(piece, false);
  const std::string all = kept_ + std::string(piece);
  return shown(all, false);
}

std::string_view SafeText::rest() {
  const std::string all = kept_;
  return shown(all, true);
}

std::string safe_text(std::string_view text) {
  SafeText safe;
  std::string result(safe.show(text));
  result += safe.rest();
  return result;
}

}  // namespace frx
