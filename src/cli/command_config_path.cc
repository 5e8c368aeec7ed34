// frx config path: where files of settings are.

#include "cli/command.h"
#include "cli/config_commands.h"
#include "cli/print_answer.h"

namespace frx::cli {
namespace command_config_path {
namespace {

struct Options {
  std::string format = "text";
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Names the files that settings are taken from, the weakest first, whether they are there or not. It works where they are malformed, "
      "too.");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.json, "the same as --format json (files)");
  syntax.example("--json", "for a script");
  syntax.exit_code(0, "always");
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const std::string format, format_of("config path", options.json, options.format));
  TRY(print_answer(io, answer_about_files(io.settings), format));
  return 0;
}

}  // namespace
}  // namespace command_config_path

constinit const Command config_path_command =
    make_command<command_config_path::Options, command_config_path::describe, command_config_path::act>(
        "config path", "Name the files that settings are taken from", "Set up");

}  // namespace frx::cli
