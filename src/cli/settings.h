// The settings of a run: what the command line does not say is taken from variables, then from the file of the project, of the user and of
// the machine (docs/settings.md). One place decides, for options as for the FRX_* variables that other folders ask for.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/setting_kinds.h"
#include "cli/syntax.h"

namespace frx::cli {

// In the order of precedence, the weakest first.
enum class SettingOrigin : std::uint8_t { machine, user, project, named, variable, option };
std::string_view name_of(SettingOrigin origin);

// A value, and where it is from.
struct Setting {
  const SettingKind* kind = nullptr;
  std::vector<std::string> values;  // one, or those of a list
  SettingOrigin origin = SettingOrigin::machine;
  std::string from;  // ".frx.yaml:3", "FRX_GPU", "--memory"
};

// A file of settings, whether it is there or not.
struct SettingFile {
  SettingOrigin origin = SettingOrigin::machine;
  std::string path;  // "" of a project that has none
  bool is_there = false;
};

struct SettingSources {
  std::function<std::optional<std::string>(std::string_view)> environment;
  std::string folder;  // where the program works
  std::string named;   // --config FILE, or ""
  bool files = true;   // false: only the environment
};

class Settings {
 public:
  // Malformed, with file and line: what is no YAML or too long, an unknown key, a value that does not fit, and what a project may not set.
  // Usage: a variable whose value does not fit; a file of --config that cannot be read.
  static Result<Settings> load(const SettingSources& sources);
  // The files alone, none of which is read.
  static Result<Settings> found(const SettingSources& sources);

  // What the command line says before the command.
  void take_option(std::string_view key, std::string value);

  // All values of a key, the one that holds first.
  std::vector<const Setting*> of(std::string_view key) const;
  // The one value that holds; absent where the default does.
  std::optional<std::string> value(std::string_view key) const;
  // What a variable is taken for by who asks for it: that of its setting, wherever it is from. Absent for other variables.
  std::optional<std::string> variable(std::string_view name) const;
  // For the options of a command, but for those before it.
  std::vector<OptionPreset> presets(std::string_view command) const;

  const std::vector<SettingFile>& files() const { return files_; }

 private:
  Result<> add_file(const SettingFile& file);
  Result<> add_variables(const SettingSources& sources);

  std::vector<SettingFile> files_;
  std::vector<Setting> all_;  // the weakest first
};

}  // namespace frx::cli
