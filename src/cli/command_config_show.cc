// frx config show: every setting with its value, and who says so.

#include "cli/command.h"
#include "cli/config_commands.h"
#include "cli/print_answer.h"

namespace frx::cli {
namespace command_config_show {
namespace {

struct Options {
  std::string format = "text";
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Shows every setting, its value, and where that is from: the command line, a variable, the file of the project (.frx.yaml here or "
      "above), "
      "of the user or of the machine, or nothing of these. Secrets are not shown.");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.json, "the same as --format json (frx_config_v1)");
  syntax.example("--json", "which GPU is assumed, and who says so, for a script");
  syntax.exit_code(0, "always, where the settings can be read");
  syntax.exit_code(1, "a file of settings is malformed, with its line");
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const std::string format, format_of("config show", options.json, options.format));
  TRY(print_answer(io, answer_about_settings(io.settings), format));
  return 0;
}

}  // namespace
}  // namespace command_config_show

constinit const Command config_show_command =
    make_command<command_config_show::Options, command_config_show::describe, command_config_show::act>(
        "config show", "Show every setting, and where its value is from", "Set up");

}  // namespace frx::cli
