// The list of commands, made from commands.def.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/cgp_words.h"
#include "cli/command.h"

namespace frx::cli {
namespace {

constexpr const Command* all[] = {
#define FRX_COMMAND(name) &name##_command,
#include "cli/commands.def"
#undef FRX_COMMAND
};

std::string_view first_word(const Command& command) { return command.name.substr(0, command.name.find(' ')); }

}  // namespace

std::span<const Command* const> commands() { return all; }

const Command* command_named(std::string_view name) {
  if (name == "summarize") name = "summarise";  // as Americans write it
  const auto found = std::find_if(std::begin(all), std::end(all), [&](const Command* one) { return one->name == name; });
  return found == std::end(all) ? nullptr : *found;
}

std::string_view family_of(const Command& command) {
  const std::string_view first = first_word(command);
  return first == command.name ? "" : first;
}

std::vector<const Command*> family(std::string_view name) {
  std::vector<const Command*> members;
  for (const Command* command : all) {
    if (!name.empty() && family_of(*command) == name) members.push_back(command);
  }
  return members;
}

std::vector<std::string> words_of(const Command& command) {
  std::vector<std::string> words;
  for (const std::string_view word : split(command.name, ' ')) words.emplace_back(word);
  return words;
}

std::string_view only_family(std::string_view program) { return program == "operator-profiler" ? "operators" : ""; }

std::string called(const Command& command, std::string_view program) {
  if (program == cgp_program) return spelled(command.name, program);
  const std::string_view family_name = only_family(program);
  const std::size_t left_out = family_name.empty() ? 0 : family_name.size() + 1;
  return fmt::format("{} {}", program, command.name.substr(left_out));
}

std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const Command* command : all) {
    if (std::find(words.begin(), words.end(), first_word(*command)) == words.end()) words.emplace_back(first_word(*command));
  }
  return words;
}

}  // namespace frx::cli
