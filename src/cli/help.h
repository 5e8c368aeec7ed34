// Help texts, made from the declarations of the commands.
#pragma once

#include <string>

#include "cli/command.h"

namespace frx::cli {

// "usage: frx ncu-command [OPTIONS] [PRESET] [-- COMMAND...]"
std::string usage_line(const Command& command, const Syntax& syntax, std::string_view program);

std::string command_help(const Command& command, const Syntax& syntax, const Io& io);
std::string program_help(const Syntax& global, const Io& io);
// The commands whose first word is `name`.
std::string family_help(std::string_view name, const Io& io);

// "PRESET", "-o, --output FILE", "-- COMMAND..."
std::string left_column(const Parameter& parameter);
// The help with choices and default.
std::string right_column(const Parameter& parameter);

// The exit codes shared by all commands, for the man page and the help of the program.
struct ExitCodeLine {
  int code;
  std::string_view meaning;
};
std::span<const ExitCodeLine> common_exit_codes();

}  // namespace frx::cli
