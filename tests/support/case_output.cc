#include "support/case_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <regex>
#include <vector>

#include "base/text.h"

namespace frx::testing {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::string_view any_lines = "...";

Lines lines_of(std::string_view text) {
  Lines lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string escaped(std::string_view literal) {
  std::string out;
  for (const char c : literal) {
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// "took {{[0-9]+}} ms" -> "took (?:[0-9]+) ms"
std::string pattern_of(std::string_view line) {
  std::string pattern;
  while (true) {
    const std::size_t open = line.find("{{");
    const std::size_t close = open == line.npos ? line.npos : line.find("}}", open);
    if (close == line.npos) return pattern + escaped(line);
    pattern += escaped(line.substr(0, open)) + "(?:" + std::string(line.substr(open + 2, close - open - 2)) + ")";
    line.remove_prefix(close + 2);
  }
}

class ExpectedLine {
 public:
  explicit ExpectedLine(std::string_view text) : text_(text) {
    const std::size_t open = text.find("{{");
    if (open == text.npos) return;
    prefix_ = text.substr(0, open);
    suffix_ = text.substr(std::min(text.rfind("}}"), text.size() - 2) + 2);
    is_anything_ = text.substr(open, text.size() - open - suffix_.size()) == "{{.*}}";
    if (!is_anything_) pattern_ = std::regex(pattern_of(text));
  }
  bool is_any_lines() const { return text_ == any_lines; }
  bool matches(std::string_view actual) const {
    if (text_ == actual) return true;
    if (!pattern_ && !is_anything_) return false;
    // std::regex calls itself for each character, which a script on one line does not survive.
    const bool fits = actual.size() >= prefix_.size() + suffix_.size() && actual.starts_with(prefix_) && actual.ends_with(suffix_);
    return fits && (is_anything_ || std::regex_match(actual.begin(), actual.end(), *pattern_));
  }

 private:
  std::string_view text_, prefix_, suffix_;  // of the literal text around the patterns
  bool is_anything_ = false;                 // the pattern is .*
  std::optional<std::regex> pattern_;
};

std::vector<ExpectedLine> expected_lines(const Lines& lines) { return {lines.begin(), lines.end()}; }

// Longest common subsequence of lines, as a table of lengths for the tails.
class Alignment {
 public:
  Alignment(const std::vector<ExpectedLine>& expected, const Lines& actual)
      : columns_(actual.size() + 1), lengths_((expected.size() + 1) * columns_), equal_(lengths_.size()) {
    for (std::size_t i = expected.size(); i-- > 0;) {
      for (std::size_t k = actual.size(); k-- > 0;) {
        equal_[i * columns_ + k] = !expected[i].is_any_lines() && expected[i].matches(actual[k]);
        lengths_[i * columns_ + k] = equal(i, k) ? length(i + 1, k + 1) + 1 : std::max(length(i + 1, k), length(i, k + 1));
      }
    }
  }
  bool equal(std::size_t i, std::size_t k) const { return equal_[i * columns_ + k] != 0; }
  std::uint32_t length(std::size_t i, std::size_t k) const { return lengths_[i * columns_ + k]; }

 private:
  std::size_t columns_;
  std::vector<std::uint32_t> lengths_;
  std::vector<char> equal_;
};

// A run of equal lines, or what stands on both sides between two such runs.
struct Stretch {
  bool equal = false;
  Lines expected;
  Lines actual;
};

std::vector<Stretch> stretches(const Lines& expected, const Lines& actual) {
  const Alignment alignment(expected_lines(expected), actual);
  std::vector<Stretch> result;
  const auto at = [&](bool equal) -> Stretch& {
    if (result.empty() || result.back().equal != equal) result.push_back({equal, {}, {}});
    return result.back();
  };
  std::size_t i = 0, k = 0;
  while (i < expected.size() || k < actual.size()) {
    if (i < expected.size() && k < actual.size() && alignment.equal(i, k)) {
      at(true).expected.push_back(expected[i++]);
      result.back().actual.push_back(actual[k++]);
    } else if (k == actual.size() || (i < expected.size() && alignment.length(i + 1, k) >= alignment.length(i, k + 1))) {
      at(false).expected.push_back(expected[i++]);
    } else {
      at(false).actual.push_back(actual[k++]);
    }
  }
  return result;
}

void append(std::string& text, std::string_view prefix, std::string_view line) { text += fmt::format("{}{}\n", prefix, line); }

// An unequal stretch in which three dots stand: as many found lines before and after them as expected ones.
struct AroundDots {
  bool dots = false;
  std::size_t before = 0, after = 0;  // of stretch.actual
};

AroundDots around_dots(const Stretch& stretch) {
  const auto first = std::find(stretch.expected.begin(), stretch.expected.end(), any_lines);
  if (first == stretch.expected.end()) return {false, stretch.actual.size(), 0};
  const auto last = std::find(stretch.expected.rbegin(), stretch.expected.rend(), any_lines);
  const std::size_t before = std::min<std::size_t>(stretch.actual.size(), first - stretch.expected.begin());
  return {true, before, std::min<std::size_t>(stretch.actual.size() - before, last - stretch.expected.rbegin())};
}

void append_found(std::string& text, std::string_view prefix, const Stretch& stretch) {
  const auto [dots, before, after] = around_dots(stretch);
  for (std::size_t i = 0; i < before; ++i) append(text, prefix, stretch.actual[i]);
  if (dots) append(text, prefix.empty() ? "" : "    ", any_lines);
  for (std::size_t i = stretch.actual.size() - after; i < stretch.actual.size(); ++i) append(text, prefix, stretch.actual[i]);
}

}  // namespace

bool matches(std::string_view expected_text, std::string_view actual_text) {
  if (!expected_text.empty() && !actual_text.empty() && expected_text.back() != actual_text.back() &&
      (expected_text.back() == '\n' || actual_text.back() == '\n')) {
    return false;
  }
  const std::vector<ExpectedLine> expected = expected_lines(lines_of(expected_text));
  const Lines actual = lines_of(actual_text);
  // As file-name patterns are matched: on a mismatch the last "..." takes one line more.
  std::size_t i = 0, k = 0, dots = expected.size(), resume = 0;
  while (k < actual.size()) {
    if (i < expected.size() && expected[i].is_any_lines()) {
      dots = i++;
      resume = k;
    } else if (i < expected.size() && expected[i].matches(actual[k])) {
      ++i, ++k;
    } else if (dots < expected.size()) {
      i = dots + 1;
      k = ++resume;
    } else {
      return false;
    }
  }
  while (i < expected.size() && expected[i].is_any_lines()) ++i;
  return i == expected.size();
}

std::string difference(std::string_view expected, std::string_view actual) {
  constexpr std::size_t context = 2;
  std::string text;
  for (const Stretch& stretch : stretches(lines_of(expected), lines_of(actual))) {
    if (stretch.equal) {
      const std::size_t size = stretch.actual.size();
      for (std::size_t i = 0; i < size; ++i) {
        if (i < context || i + context >= size) append(text, "    ", stretch.actual[i]);
        if (i == context && size > 2 * context) append(text, "    ", fmt::format("[{} equal lines]", size - 2 * context));
      }
      continue;
    }
    for (const std::string_view line : stretch.expected) {
      if (line != any_lines) append(text, "  - ", line);
    }
    append_found(text, "  + ", stretch);
  }
  if (!actual.empty() && actual.back() != '\n') append(text, "    ", "[no line end after the last line found]");
  return text;
}

std::string with_name_of_path(std::string text, std::string_view path, std::string_view name) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  for (std::size_t at = text.find(path); at != text.npos; at = text.find(path, at)) {
    const std::size_t end = at + path.size();
    const bool begins = at == 0 || !(in_word(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '~');
    if (begins && (end == text.size() || !in_word(text[end]))) {
      text.replace(at, path.size(), name);
      at += name.size();
    } else {
      at = end;
    }
  }
  return text;
}

std::string rebased(std::string_view expected, std::string_view actual) {
  if (matches(expected, actual)) return std::string(expected);
  std::string text;
  for (const Stretch& stretch : stretches(lines_of(expected), lines_of(actual))) {
    if (!stretch.equal) append_found(text, "", stretch);
    for (const std::string_view line : stretch.equal ? stretch.expected : Lines()) append(text, "", line);
  }
  if (!actual.empty() && actual.back() != '\n') text.pop_back();
  return matches(text, actual) ? text : std::string(actual);
}

}  // namespace frx::testing
