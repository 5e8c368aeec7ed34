// frx config explain: one setting.

#include "base/text.h"
#include "cli/command.h"
#include "cli/config_commands.h"
#include "cli/print_answer.h"

namespace frx::cli {
namespace command_config_explain {
namespace {

struct Options {
  std::string key;
  std::string format = "text";
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Says what a setting does, what it expects, which variable and option say the same, who may set it, and every value that it is "
      "given, the one that holds first.");
  syntax.required_argument("KEY", options.key, "a key of frx config show");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.json, "the same as --format json (one setting)");
  syntax.example("memory", "who limits the memory, and who may");
  syntax.exit_code(0, "always, where the settings can be read");
  syntax.exit_code(1, "a file of settings is malformed, with its line");
}

Result<answer::Answer> answer_to(const Options& options, const Io& io) {
  const SettingKind* const kind = setting_kind(options.key);
  if (kind != nullptr) return answer_about_setting(io.settings, *kind);
  const std::string_view near = nearest(options.key, setting_keys());
  return fail(ErrorKind::usage, "config explain: unknown key '{}'", printable(options.key))
      .hint(near.empty() ? std::string("frx config show has all keys") : fmt::format("did you mean '{}'?", near));
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const std::string format, format_of("config explain", options.json, options.format));
  TRY_ASSIGN(const answer::Answer answer, answer_to(options, io));
  TRY(print_answer(io, answer, format));
  return 0;
}

}  // namespace
}  // namespace command_config_explain

constinit const Command config_explain_command =
    make_command<command_config_explain::Options, command_config_explain::describe, command_config_explain::act>(
        "config explain", "Explain a setting, and where its values are from", "Set up");

}  // namespace frx::cli
