#include "compose/page.h"

#include <algorithm>

#include "base/text.h"

namespace frx::compose {
namespace {

constexpr std::size_t narrowest = 40;
constexpr std::size_t widest = 100;     // longer lines are hard to read
constexpr std::size_t rule_width = 68;  // as documented

// The byte where the first `cells` cells of `text` end.
std::size_t end_of_cells(std::string_view text, std::size_t cells) {
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    const bool starts_character = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (starts_character && seen++ == cells) break;
  }
  return end;
}

constexpr char glue = '\x01';  // printable text has no control characters, so it can stand for a blank

// "1.2 ms" and "37 %" stay on one line.
std::string with_glued_units(std::string_view text) {
  constexpr std::string_view units[] = {"%", "ns", "us", "ms", "s", "B", "KB", "MB", "GB", "GB/s", "TB/s", "GFLOP/s", "TFLOP/s"};
  std::string glued(text);
  for (std::size_t at = 1; at + 1 < glued.size(); ++at) {
    if (glued[at] != ' ' || glued[at - 1] < '0' || glued[at - 1] > '9') continue;
    const std::string_view rest = std::string_view(glued).substr(at + 1);
    const std::string_view word = rest.substr(0, rest.find_first_of(" ,;:.)"));
    if (std::find(std::begin(units), std::end(units), word) != std::end(units)) glued[at] = glue;
  }
  return glued;
}

std::string blanks(std::size_t count) { return std::string(count, ' '); }

}  // namespace

std::string clip(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width <= 3) return std::string(width, '.');
  return std::string(trim(text.substr(0, end_of_cells(text, width - 3)))) + "...";
}

std::vector<std::string> wrap_within(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 8);
  std::vector<std::string> lines;
  for (std::string& line : wrap(with_glued_units(text), width)) {
    std::replace(line.begin(), line.end(), glue, ' ');
    std::string_view rest = line;
    while (display_width(rest) > width) {
      std::size_t end = end_of_cells(rest, width);
      if (const std::size_t seam = rest.substr(0, end).find_last_of(",/"); seam != rest.npos && seam > end / 2) end = seam + 1;
      lines.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    lines.emplace_back(rest);
  }
  return lines;
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t cells = display_width(text);
  return std::string(text) + blanks(cells < width ? width - cells : 0);
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t cells = display_width(text);
  return blanks(cells < width ? width - cells : 0) + std::string(text);
}

Page::Page(const Style& style) : style_(style), width_(std::clamp(static_cast<std::size_t>(std::max(style.width, 0)), narrowest, widest)) {}

void Page::blank() { text_ += '\n'; }

void Page::rule(char stroke) { raw(paint(Tone::dim, std::string(std::min(rule_width, width_), stroke))); }

void Page::title(std::string_view text) {
  rule('=');
  raw(paint(Tone::bold, text));
  rule('=');
}

void Page::section(std::string_view heading) {
  blank();
  raw(paint(Tone::bold, heading));
  rule('-');
}

void Page::section(std::string_view heading, std::size_t shown, std::size_t all) {
  section(shown < all ? fmt::format("{} ({} of {})", heading, shown, all) : fmt::format("{} ({})", heading, shown));
}

void Page::raw(std::string_view line) {
  text_ += line;
  text_ += '\n';
}

void Page::paragraph(std::string_view text, std::size_t indent, Tone tone) { hanging("", text, indent, Tone::plain, tone); }

void Page::hanging(std::string_view head, std::string_view text, std::size_t indent, Tone head_tone, Tone text_tone) {
  const std::size_t left = indent + display_width(head);
  const std::vector<std::string> lines = wrap_within(printable(text), width_ > left ? width_ - left : 0);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    raw((i == 0 ? blanks(indent) + paint(head_tone, head) : blanks(left)) + paint(text_tone, lines[i]));
  }
}

void Page::fact(std::string_view name, std::string_view value, std::size_t name_width) {
  hanging(pad_right(name, name_width) + ": ", value, 2, Tone::dim);
}

void Page::command(std::string_view line, std::size_t indent) { raw(blanks(indent) + printable(line)); }

}  // namespace frx::compose
