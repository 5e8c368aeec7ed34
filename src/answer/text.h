// What stands on a line: words of ours, and names that came out of files.
//
// A writer may have to cut: words wrap, names are cut as their Fit says. Which tone is which colour, and whether a
// name is shown as code, is up to the writer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frx::answer {

enum class Tone : std::uint8_t { plain, bold, dim, red, yellow, green };

// How bad something is.
enum class Status : std::uint8_t { critical, warning, ok, missing };
Tone tone_of(Status status);
// high: red, medium: yellow, everything else as it is.
Tone tone_of_priority(std::string_view priority);

// What becomes of a span that is longer than its place.
enum class Fit : std::uint8_t {
  wrap,     // goes on in the next line
  whole,    // stays on its line, however long
  cut,      // its beginning, as much as fits into the line
  half,     // its beginning, as much as fits into half a line
  shorten,  // its beginning and its end
};

struct Span {
  std::string text;
  bool is_name = false;
  Fit fit = Fit::wrap;
};

class Text {
 public:
  Text() = default;
  Text(std::string words) { append({std::move(words)}); }     // NOLINT(google-explicit-constructor)
  Text(std::string_view words) : Text(std::string(words)) {}  // NOLINT(google-explicit-constructor)
  Text(const char* words) : Text(std::string(words)) {}       // NOLINT(google-explicit-constructor)
  Text(Span span) { append(std::move(span)); }                // NOLINT(google-explicit-constructor)

  const std::vector<Span>& spans() const { return spans_; }
  bool empty() const { return spans_.empty(); }
  std::string plain() const;

  friend Text operator+(Text left, const Text& right) {
    left.spans_.insert(left.spans_.end(), right.spans_.begin(), right.spans_.end());
    return left;
  }

 private:
  void append(Span span) {
    if (!span.text.empty()) spans_.push_back(std::move(span));
  }

  std::vector<Span> spans_;
};

// A kernel, a path, an identifier: a name that the input gave.
inline Text as_name(std::string_view text, Fit fit = Fit::wrap) { return Span{std::string(text), true, fit}; }

}  // namespace frx::answer
