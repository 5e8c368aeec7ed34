// What may be fixed once for a project, a user or a machine: the names of the settings, their variables, and who may set them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::cli {

enum class SettingType : std::uint8_t {
  text,
  choice,
  truth,
  count,    // a whole number from 1
  percent,  // a number from 0 to 100
  size,     // "4G"
  path,     // of a file or folder; of a project below the folder of its file
  paths,    // several
  store,    // a path, or the address of a history (clickhouse://)
  texts,    // several
  program,  // the path of a program, or a name in PATH
};

// Who may set it. A project's file comes from other people, and may only say what does no harm (docs/settings.md).
enum class SettingScope : std::uint8_t {
  anywhere,
  own,       // the user and the machine: it starts programs, loads libraries, or sends people somewhere
  variable,  // the environment alone: it is a secret, and files are copied and committed
};

struct SettingKind {
  std::string_view key;       // "fail_on"
  std::string_view variable;  // "FRX_FAIL_ON"
  std::string_view option;    // "--fail-on", whose place it takes; "" where there is none
  std::string_view command;   // the only one with the option that it is for; "": all of them
  SettingType type;
  SettingScope scope;
  std::string_view choices;    // "low|medium|high", of a choice
  std::string_view otherwise;  // what holds without it, in words
  std::string_view help;

  bool is_list() const { return type == SettingType::paths || type == SettingType::texts; }
  bool is_secret() const { return scope == SettingScope::variable; }
};

std::span<const SettingKind> setting_kinds();
const SettingKind* setting_kind(std::string_view key);

// Their names, for messages that offer the nearest one.
std::vector<std::string_view> setting_keys();

// The value as it is used: "true" for "yes". Errors name what was expected.
Result<std::string> setting_value(const SettingKind& kind, std::string_view text);
// "low, medium or high", "a size such as 4G".
std::string expected_value(const SettingKind& kind);
// "any file", "your own file, or the environment", "the environment alone".
std::string_view who_may_set(const SettingKind& kind);

}  // namespace frx::cli
