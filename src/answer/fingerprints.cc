#include "answer/fingerprints.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "base/sha256.h"

namespace frx::answer {
namespace {

constexpr std::size_t fingerprint_digits = 32;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Without blanks, so that a line may be indented anew; and without the numbers of virtual registers (%f12), which every compilation
// gives out anew.
std::string squeezed(std::string_view line) {
  std::string text;
  bool in_register = false;
  for (const char c : line) {
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    if (c == '%') {
      in_register = true;
    } else if (in_register && is_digit(c)) {
      continue;
    } else if (!is_letter(c)) {
      in_register = false;
    }
    text += c;
  }
  return text;
}

// What stands for several lines is the same when the first of them goes.
std::string content_of(const Issue& issue) {
  return issue.known_by == KnownBy::line ? fmt::format("{}\n{}", issue.kernel, squeezed(issue.snippet)) : std::string();
}

}  // namespace

std::string tidy_path(std::string_view path) {
  std::filesystem::path tidy = std::filesystem::path(path).lexically_normal();
  std::error_code error;
  if (tidy.is_absolute()) {
    const std::filesystem::path below = tidy.lexically_relative(std::filesystem::current_path(error));
    if (!error && !below.empty() && *below.begin() != "..") tidy = below;
  }
  return tidy.generic_string();
}

std::string content_fingerprint(const Issue& issue) {
  return sha256(fmt::format("{}\n{}", issue.rule, content_of(issue))).substr(0, fingerprint_digits);
}

void add_fingerprints(Issues& issues) {
  std::map<std::string, std::size_t> seen;
  for (Issue& issue : issues.found) {
    const std::string file = issue.known_by == KnownBy::rule ? std::string() : tidy_path(issue.place.file);
    const std::string text = fmt::format("{}\n{}\n{}", issue.rule, file, content_of(issue));
    const std::size_t number = seen[text]++;
    if (issue.fingerprint.empty()) issue.fingerprint = sha256(fmt::format("{}\n{}", text, number)).substr(0, fingerprint_digits);
  }
}

}  // namespace frx::answer
