// frx man: the manual page, made from the declarations of all commands.

#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/json_output.h"
#include "cli/run.h"

namespace frx::cli {
namespace command_man {
namespace {

struct Options {
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.flag("--json", options.json, "print JSON: every command with its options, for programs that call frx");
  syntax.example("| man -l -", "read it now");
  syntax.example("> ~/.local/share/man/man1/frx.1", "install it for yourself");
  syntax.exit_code(0, "always");
}

// Text that roff must not interpret: backslashes, a dot or quote at the start of a line, and hyphens,
// which it would turn into typographic ones that cannot be copied.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

// A macro argument in quotes.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : roff(text)) out += c == '"' ? "\\(dq" : std::string(1, c);
  return out + "\"";
}

std::string term(const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::workload) return bold("--") + " " + italic(parameter.placeholder) + "...";
  if (parameter.names.empty()) return italic(parameter.placeholder) + (parameter.repeatable ? "..." : "");
  std::string text;
  for (const std::string& name : parameter.names) text += (text.empty() ? "" : ", ") + bold(name);
  if (!parameter.implied.empty()) return text + "[=" + italic(parameter.placeholder) + "]";
  return text + (parameter.placeholder.empty() ? "" : " " + italic(parameter.placeholder));
}

std::string tagged(const std::string& head, std::string_view body) { return ".TP\n" + head + "\n" + roff(body) + "\n"; }

std::string parameters(const Syntax& syntax) {
  std::string text;
  for (const Parameter& parameter : syntax.parameters()) text += tagged(term(parameter), right_column(parameter));
  return text;
}

std::string command_section(const Command& command, std::string_view program) {
  Syntax syntax;
  command.describe(syntax);
  constexpr std::string_view usage = "usage: ";
  std::string text = ".SS " + in_quotes(usage_line(command, syntax, program).substr(usage.size())) + "\n";
  text += roff(command.summary) + ".\n";
  for (const std::string& paragraph : syntax.paragraphs()) text += ".PP\n" + roff(paragraph) + "\n";
  text += parameters(syntax);
  for (const auto& [code, meaning] : syntax.exit_codes()) text += tagged("exit code " + std::to_string(code), meaning);
  return text;
}

std::string examples(std::string_view program) {
  std::string text;
  for (const Command* command : commands()) {
    Syntax syntax;
    command->describe(syntax);
    for (const Example& example : syntax.examples()) {
      text += tagged(bold(fmt::format("{} {}", called(*command, program), example.arguments)), example.meaning);
    }
  }
  return text;
}

std::string page() {
  constexpr std::string_view program = "frx";
  Syntax global;
  GlobalOptions unused;
  describe_global(global, unused);
  std::string text = fmt::format(".TH FRX 1 {} {} {}\n", FRX_DATE, in_quotes("frx " FRX_VERSION), in_quotes("User Commands"));
  text += ".SH NAME\nfrx, fournex \\- find out why GPU work is slow and what to change first\n";
  text += ".SH SYNOPSIS\n" + bold(program) + " [" + italic("OPTIONS") + "] " + italic("COMMAND") + " ...\n";
  text += ".SH DESCRIPTION\n" + bold(program) +
          " reads what GPU profilers write (Nsight Compute, Nsight Systems, PyTorch traces), PTX and CUDA source, and says why the "
          "work is slow, what to change first, and, on the next run, whether the change helped.\n";
  text += ".SH OPTIONS\n" + parameters(global) + tagged(bold("-h") + ", " + bold("--help"), "show help, also after a command");
  text += ".SH COMMANDS\n";
  for (const Command* command : commands()) text += command_section(*command, program);
  text += ".SH EXIT STATUS\n";
  for (const ExitCodeLine& line : common_exit_codes()) text += tagged(bold(std::to_string(line.code)), line.meaning);
  text += ".SH ENVIRONMENT\n";
  text += tagged(bold("NO_COLOR") + ", " + bold("FORCE_COLOR"), "never, always colour the output; the option --color wins");
  text += tagged(bold("COLUMNS"), "width of the output");
  text += tagged(bold("TMPDIR"), "where profiles are kept while they are being written, and large blocks of memory where it is short");
  text += tagged(bold("CUDA_HOME"), "where the CUDA toolkit is, when its tools are not on PATH");
  return text + ".SH EXAMPLES\n" + examples(program) + ".SH SEE ALSO\n" + bold("ncu") + "(1), " + bold("nsys") + "(1)\n";
}

// "--json" and "--output-json", a value or none, what it does and by default.
Json parameter_json(const Parameter& parameter) {
  return {{"names", parameter.names},
          {"value", parameter.placeholder.empty() ? Json(nullptr) : Json(parameter.placeholder)},
          {"help", parameter.help},
          {"choices", parameter.choices},
          {"default", parameter.default_text.empty() ? Json(nullptr) : Json(parameter.default_text)},
          {"repeatable", parameter.repeatable},
          {"required", parameter.required}};
}

// Options, or what stands without a name.
Json parameters_json(const Syntax& syntax, bool are_options) {
  Json list = Json::array();
  for (const Parameter& parameter : syntax.parameters()) {
    if (parameter.names.empty() != are_options) list.push_back(parameter_json(parameter));
  }
  return list;
}

Json command_json(const Command& command) {
  Syntax syntax;
  command.describe(syntax);
  Json codes = Json::array(), examples = Json::array();
  for (const auto& [code, meaning] : syntax.exit_codes()) codes.push_back({{"code", code}, {"meaning", meaning}});
  for (const Example& example : syntax.examples()) examples.push_back({{"arguments", example.arguments}, {"meaning", example.meaning}});
  return {{"name", command.name},
          {"summary", command.summary},
          {"group", command.group},
          {"text", std::vector<std::string>(syntax.paragraphs().begin(), syntax.paragraphs().end())},
          {"arguments", parameters_json(syntax, false)},
          {"options", parameters_json(syntax, true)},
          {"exit_codes", std::move(codes)},
          {"examples", std::move(examples)}};
}

Json manual_json() {
  Syntax global;
  GlobalOptions unused;
  describe_global(global, unused);
  Json json{{"version", FRX_VERSION}, {"options", parameters_json(global, true)}};
  json["commands"] = Json::array();
  for (const Command* command : commands()) json["commands"].push_back(command_json(*command));
  json["exit_codes"] = Json::array();
  for (const ExitCodeLine& line : common_exit_codes()) json["exit_codes"].push_back({{"code", line.code}, {"meaning", line.meaning}});
  return json;
}

Result<int> act(const Options& options, Io& io) {
  if (options.json) {
    write_json(io, "man", manual_json());
  } else {
    io.out.write(page());
  }
  return 0;
}

}  // namespace
}  // namespace command_man

constinit const Command man_command =
    make_command<command_man::Options, command_man::describe, command_man::act>("man", "Print the manual page", "Set up");

}  // namespace frx::cli
