// The list of commands, made from commands.def.
#include <algorithm>

#include "cli/command.h"

namespace frx::cli {
namespace {

constexpr const Command* all[] = {
#define FRX_COMMAND(name) &name##_command,
#include "cli/commands.def"
#undef FRX_COMMAND
};

}  // namespace

std::span<const Command* const> commands() { return all; }

const Command* command_named(std::string_view name) {
  const auto found = std::find_if(std::begin(all), std::end(all), [&](const Command* one) { return one->name == name; });
  return found == std::end(all) ? nullptr : *found;
}

}  // namespace frx::cli
