#include "support/case_file.h"

#include <algorithm>
#include <charconv>

#include "base/shell_words.h"
#include "base/text.h"
#include "support/base64.h"
#include "support/database_from_sql.h"
#include "support/fleet_score.h"
#include "support/ncu_report_from_yaml.h"

namespace frx::testing {
namespace {

constexpr std::string_view marker = "--- ";

Failure malformed(const std::string& path, std::size_t line, std::string_view what) {
  return fail(ErrorKind::malformed, "{}", what).at(fmt::format("{}:{}", path, line));
}

Result<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return fail(ErrorKind::malformed, "expected a number, found '{}'", text);
  }
  return value;
}

Result<> take_directive(Case& one, std::string_view name, std::string_view value) {
  if (name == "RUN") {
    TRY_ASSIGN(std::vector<std::string> words, shell_words(value));
    one.runs.push_back({std::move(words), 0});
  } else if (name == "EXIT") {
    if (one.runs.empty()) return fail(ErrorKind::malformed, "EXIT belongs below its RUN");
    TRY_ASSIGN(one.runs.back().exit, number(value));
  } else if (name == "ENV") {
    const std::size_t equals = value.find('=');
    if (equals == value.npos) return fail(ErrorKind::malformed, "expected NAME=VALUE, found '{}'", value);
    one.environment.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  } else if (name == "REQUIRES") {
    one.needs.emplace_back(value);
  } else if (name == "STDIN") {
    one.input = value;
  } else if (name == "PROGRAM") {
    one.program = value;
  } else if (name == "WIDTH") {
    TRY_ASSIGN(one.width, number(value));
  } else {
    return fail(ErrorKind::malformed, "no directive is called '{}'", name);
  }
  return {};
}

// "# RUN: ..." is a directive, every other `#` line a sentence about the case.
Result<> take_head_line(Case& one, std::string_view line) {
  one.head.emplace_back(line);
  const std::string_view rest = trim(line.substr(1));
  const std::size_t colon = rest.find(':');
  const std::string_view name = rest.substr(0, colon == rest.npos ? 0 : colon);
  const bool is_directive = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (is_directive) return take_directive(one, name, trim(rest.substr(colon + 1)));
  if (!one.summary.empty() && !rest.empty()) one.summary += ' ';
  one.summary += rest;
  return {};
}

// "--- report.csv (crlf, executable)"
Result<Section> section_of(std::string_view header) {
  Section section;
  std::string_view rest = trim(header.substr(marker.size()));
  if (rest.ends_with(')')) {
    const std::size_t open = rest.rfind('(');
    if (open == rest.npos) return fail(ErrorKind::malformed, "expected (options), found '{}'", rest);
    for (const std::string_view option : split(rest.substr(open + 1, rest.size() - open - 2), ',')) {
      section.options.emplace_back(trim(option));
    }
    rest = trim(rest.substr(0, open));
  }
  section.name = rest;
  constexpr std::string_view known[] = {"crlf", "base64", "utf16", "from yaml", "from sql", "from cluster", "executable", "no newline"};
  for (const std::string& option : section.options) {
    if (std::find(std::begin(known), std::end(known), option) == std::end(known)) {
      return fail(ErrorKind::malformed, "no section option is called '{}'", option);
    }
  }
  const std::string_view file = output_file(section).empty() ? rest : output_file(section);
  const bool leaves_the_folder = file.starts_with('/') || file.find("..") != file.npos;
  if (file.empty() || leaves_the_folder) return fail(ErrorKind::malformed, "expected a name inside the folder, found '{}'", file);
  return section;
}

// With its byte-order mark, low byte first, as PowerShell's `>` writes it.
std::string to_utf16(std::string_view text) {
  std::string bytes = "\xFF\xFE";
  const auto unit = [&](std::uint32_t value) {
    bytes += static_cast<char>(value & 0xFF);
    bytes += static_cast<char>(value >> 8 & 0xFF);
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const int length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    std::uint32_t point = length == 1 ? first : first & (0xFFu >> (length + 1));
    for (int k = 1; k < length && i + k < text.size(); ++k) point = point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3F);
    i += length;
    if (point >= 0x10000) {
      unit(0xD800 + ((point - 0x10000) >> 10));
      unit(0xDC00 + ((point - 0x10000) & 0x3FF));
    } else {
      unit(point);
    }
  }
  return bytes;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  while (true) {
    const std::size_t at = text.find(from);
    out += text.substr(0, at);
    if (at == text.npos) return out;
    out += to;
    text.remove_prefix(at + from.size());
  }
}

bool looks_like_a_marker(std::string_view line) {
  while (line.starts_with('\\')) line.remove_prefix(1);
  return line.starts_with(marker);
}

}  // namespace

bool Section::has(std::string_view option) const { return std::find(options.begin(), options.end(), option) != options.end(); }

const Section* Case::section(std::string_view name) const {
  const auto found = std::find_if(sections.begin(), sections.end(), [&](const Section& one) { return one.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

bool is_input(const Section& section) { return section.name != "stdout" && section.name != "stderr" && output_file(section).empty(); }

std::string_view output_file(const Section& section) {
  constexpr std::string_view prefix = "out:";
  return section.name.starts_with(prefix) ? std::string_view(section.name).substr(prefix.size()) : std::string_view();
}

Result<Case> parse_case(std::string path, std::string_view text) {
  Case one;
  one.path = std::move(path);
  std::vector<std::string_view> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    if (line.starts_with(marker)) {
      Result<Section> section = section_of(line);
      if (!section) return malformed(one.path, i + 1, section.error().message);
      if (one.section(section->name) != nullptr) return malformed(one.path, i + 1, "a second section of this name");
      one.sections.push_back(std::move(*section));
    } else if (!one.sections.empty()) {
      if (looks_like_a_marker(line)) line.remove_prefix(1);  // written as "\--- ..."
      one.sections.back().text += std::string(line) + '\n';
    } else if (line.starts_with('#')) {
      if (const Result<> taken = take_head_line(one, line); !taken) return malformed(one.path, i + 1, taken.error().message);
    } else {
      return malformed(one.path, i + 1, "expected a line that begins with '#' or '--- '");
    }
  }
  if (one.summary.empty()) return malformed(one.path, 1, "expected a line that says what the case shows");
  if (one.runs.empty()) return malformed(one.path, 1, "expected # RUN: and the arguments of frx");
  return one;
}

std::string to_text(const Case& one) {
  std::string text;
  std::size_t run = 0;
  for (std::size_t i = 0; i < one.head.size(); ++i) {
    const bool is_run = one.head[i].starts_with("# RUN:");
    const bool is_exit = one.head[i].starts_with("# EXIT:");
    if (!is_exit) text += one.head[i] + "\n";
    if (!is_run) continue;
    const bool had_exit = i + 1 < one.head.size() && one.head[i + 1].starts_with("# EXIT:");
    if (had_exit || one.runs[run].exit != 0) text += fmt::format("# EXIT: {}\n", one.runs[run].exit);
    ++run;
  }
  for (const Section& section : one.sections) {
    text += std::string(marker) + section.name;
    if (!section.options.empty()) text += " (" + join(section.options, ", ") + ")";
    text += "\n";
    for (std::string_view rest = section.text; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      if (looks_like_a_marker(line)) text += '\\';
      text += std::string(line) + "\n";
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
  }
  return text;
}

Result<std::string> bytes_of(const Section& section) {
  if (section.has("base64")) return from_base64(section.text);
  if (section.has("from cluster")) return summaries_from_plan(section.name, section.text);
  if (section.has("from sql")) return database_from_sql(section.name, section.text);
  if (section.has("from yaml")) return ncu_report_from_yaml(section.name, section.text);
  std::string text = section.text;
  if (section.has("no newline") && text.ends_with('\n')) text.pop_back();
  if (section.has("crlf")) text = replaced(text, "\n", "\r\n");
  return section.has("utf16") ? to_utf16(text) : text;
}

void set_bytes(Section& section, std::string_view bytes) {
  std::erase(section.options, "no newline");
  section.text = section.has("crlf") ? replaced(bytes, "\r\n", "\n") : std::string(bytes);
  if (!section.text.empty() && !section.text.ends_with('\n')) {
    section.text += '\n';
    section.options.emplace_back("no newline");
  }
}

}  // namespace frx::testing
