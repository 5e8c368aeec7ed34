#include "cli/help.h"

#include <algorithm>

#include "base/text.h"

namespace frx::cli {
namespace {

constexpr std::size_t last_column = 31;  // explanations begin here at the latest
constexpr std::size_t widest = 100;      // longer lines are tiring to read

constexpr ExitCodeLine exit_codes[] = {
    {0, "all is well"},
    {1, "a negative outcome (findings, a failed check, a regression) or unreadable input"},
    {2, "the command line is wrong"},
    {3, "not enough evidence, or inputs that cannot be compared"},
    {4, "a tool, a driver or a permission is missing"},
};

std::size_t text_width(const Io& io) { return std::min(widest, static_cast<std::size_t>(std::max(io.width, 40))); }

// Two columns; a left part that is too long gets a line of its own.
void entry(std::string& out, std::string_view left, std::string_view right, std::size_t width, std::size_t at) {
  std::string line = "  " + std::string(left);
  const std::vector<std::string> words = wrap(right, width > at + 20 ? width - at : 20);
  std::size_t next = 0;
  if (display_width(line) + 2 <= at && !words.empty()) {
    line += std::string(at - display_width(line), ' ') + words[next++];
  }
  out += line + "\n";
  for (; next < words.size(); ++next) out += std::string(at, ' ') + words[next] + "\n";
}

void paragraph(std::string& out, std::string_view text, std::size_t width) {
  for (const std::string& line : wrap(text, width)) out += line + "\n";
}

bool is_option(const Parameter& parameter) { return parameter.kind == Parameter::Kind::flag || parameter.kind == Parameter::Kind::option; }

std::size_t explanation_column(const Syntax& syntax) {
  std::size_t widest_left = 16;
  for (const Parameter& parameter : syntax.parameters()) widest_left = std::max(widest_left, display_width(left_column(parameter)) + 4);
  return std::min(widest_left, last_column);
}

void parameters(std::string& out, std::string_view heading, const Syntax& syntax, const Io& io, bool options) {
  std::string lines;
  const std::size_t at = explanation_column(syntax);
  for (const Parameter& parameter : syntax.parameters()) {
    if (is_option(parameter) == options) entry(lines, left_column(parameter), right_column(parameter), text_width(io), at);
  }
  if (options) entry(lines, "-h, --help", "show this help", text_width(io), at);
  if (!lines.empty()) out += "\n" + io.paint(Colour::bold, heading) + "\n" + lines;
}

}  // namespace

std::span<const ExitCodeLine> common_exit_codes() { return exit_codes; }

std::string left_column(const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::workload) return "-- " + parameter.placeholder + "...";
  if (parameter.names.empty()) return parameter.placeholder + (parameter.repeatable ? "..." : "");
  const bool has_short = !parameter.names.front().starts_with("--");
  const std::string value = !parameter.implied.empty()      ? "[=" + parameter.placeholder + "]"
                            : parameter.placeholder.empty() ? ""
                                                            : " " + parameter.placeholder;
  return (has_short ? "" : "    ") + join(parameter.names, ", ") + value;
}

std::string right_column(const Parameter& parameter) {
  std::string text = parameter.help;
  if (!parameter.choices.empty()) text += ": " + join(parameter.choices, ", ");
  if (!parameter.default_text.empty()) text += fmt::format(" [default: {}]", parameter.default_text);
  return text;
}

std::string usage_line(const Command& command, const Syntax& syntax, std::string_view program) {
  std::string line = "usage: " + called(command, program);
  std::string arguments, workload;
  bool has_options = false;
  for (const Parameter& parameter : syntax.parameters()) {
    if (parameter.kind == Parameter::Kind::workload) {
      workload = parameter.required ? " -- COMMAND..." : " [-- COMMAND...]";
    } else if (parameter.kind == Parameter::Kind::argument) {
      const std::string name = left_column(parameter);
      arguments += parameter.required ? " " + name : " [" + name + "]";
    } else {
      has_options = true;
    }
  }
  return line + (has_options ? " [OPTIONS]" : "") + arguments + workload;
}

std::string command_help(const Command& command, const Syntax& syntax, const Io& io) {
  const std::size_t width = text_width(io);
  std::string out = usage_line(command, syntax, io.program) + "\n\n";
  paragraph(out, std::string(command.summary) + ".", width);
  for (const std::string& text : syntax.paragraphs()) {
    out += "\n";
    paragraph(out, text, width);
  }
  parameters(out, "Arguments:", syntax, io, false);
  parameters(out, "Options:", syntax, io, true);
  if (!syntax.exit_codes().empty()) {
    out += "\n" + io.paint(Colour::bold, "Exit code:") + "\n";
    for (const auto& [code, meaning] : syntax.exit_codes()) entry(out, std::to_string(code), meaning, width, 6);
  }
  if (!syntax.examples().empty()) out += "\n" + io.paint(Colour::bold, "Examples:") + "\n";
  for (const Example& example : syntax.examples()) {
    out += fmt::format("  {} {}\n", called(command, io.program), example.arguments);
    for (const std::string& line : wrap(example.meaning, width - 6)) out += "      " + line + "\n";
  }
  return out;
}

std::string program_help(const Syntax& global, const Io& io) {
  const std::size_t width = text_width(io);
  std::string out = fmt::format("usage: {0} [OPTIONS] COMMAND ...\n\n", io.program);
  paragraph(out, "Why is this GPU work slow, what to change first, and did the change help?", width);
  std::vector<std::string_view> groups;
  for (const Command* command : commands()) {
    if (std::find(groups.begin(), groups.end(), command->group) == groups.end()) groups.push_back(command->group);
  }
  for (const std::string_view group : groups) {
    out += "\n" + io.paint(Colour::bold, std::string(group) + ":") + "\n";
    for (const Command* command : commands()) {
      if (command->group == group) entry(out, command->name, command->summary, width, 22);
    }
  }
  parameters(out, "Options, before the command:", global, io, true);
  out += fmt::format("\n'{} COMMAND --help' explains a command.\n", io.program);
  return out;
}

std::string family_help(std::string_view name, const Io& io) {
  const std::string prefix = only_family(io.program) == name ? io.program : fmt::format("{} {}", io.program, name);
  std::string out = fmt::format("usage: {} COMMAND ...\n\n", prefix);
  for (const Command* command : family(name)) entry(out, words_of(*command).back(), command->summary, text_width(io), 14);
  out += fmt::format("\n'{} COMMAND --help' explains a command.\n", prefix);
  return out;
}

}  // namespace frx::cli
