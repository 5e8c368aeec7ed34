#include "cli/settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/memory_budget.h"
#include "base/text.h"
#include "capture/host.h"
#include "cli/setting_files.h"

namespace frx::cli {
namespace {

// Of a project: no more than would be held without it.
std::string limited_size(const std::string& text) {
  const Result<std::uint64_t> bytes = parse_memory(text);
  const std::uint64_t most = MemoryBudget::of_a_child();
  return bytes && *bytes > most ? std::to_string(most) : text;
}

Result<> expect_program(const Setting& setting) {
  const std::string& path = setting.values.front();
  if (path.find('/') == path.npos || capture::find_program(path, "")) return {};
  return fail(ErrorKind::malformed, "{}: '{}' is no program", setting.kind->key, shorten(printable(path), 100));
}

Result<> check(Setting& setting) {
  const SettingKind& kind = *setting.kind;
  if (setting.origin == SettingOrigin::project) {
    if (kind.scope != SettingScope::anywhere)
      return fail(ErrorKind::malformed, "{}: a project may not set it, for it may come from other people", kind.key)
          .hint(fmt::format("set the variable {}, or write it into your own file: frx config path", kind.variable));
    if (kind.key == "with_ptx" && setting.values.front() == "yes")
      return fail(ErrorKind::malformed, "with_ptx: a project may say auto or no, and not start compilers").hint("--with-ptx=yes does");
    if (kind.type == SettingType::size) setting.values.front() = limited_size(setting.values.front());
  } else if (kind.scope == SettingScope::variable && setting.origin != SettingOrigin::variable) {
    return fail(ErrorKind::malformed, "{}: a secret does not belong into a file", kind.key)
        .hint(fmt::format("set the variable {}", kind.variable));
  }
  if (kind.type == SettingType::program) return expect_program(setting);
  return {};
}

}  // namespace

std::string_view name_of(SettingOrigin origin) {
  constexpr std::array<std::string_view, 6> names = {"machine", "user", "project", "named", "environment", "command line"};
  return names[static_cast<std::size_t>(origin)];
}

Result<Settings> Settings::found(const SettingSources& sources) {
  Settings settings;
  if (!sources.files) return settings;
  TRY_ASSIGN(settings.files_, setting_files(sources));
  return settings;
}

Result<Settings> Settings::load(const SettingSources& sources) {
  TRY_ASSIGN(Settings settings, found(sources));
  for (const SettingFile& file : settings.files_) {
    if (file.is_there) TRY(settings.add_file(file));
  }
  TRY(settings.add_variables(sources));
  return settings;
}

Result<> Settings::add_file(const SettingFile& file) {
  TRY_ASSIGN(std::vector<Setting> found, settings_in(file));
  for (Setting& setting : found) {
    if (Result<> fits = check(setting); !fits) {
      Error error = std::move(fits).error();
      error.where = setting.from;
      return Failure{std::move(error)};
    }
    all_.push_back(std::move(setting));
  }
  return {};
}

Result<> Settings::add_variables(const SettingSources& sources) {
  for (const SettingKind& kind : setting_kinds()) {
    const std::optional<std::string> given = sources.environment(kind.variable);
    if (!given || trim(*given).empty()) continue;
    Setting setting{&kind, {}, SettingOrigin::variable, std::string(kind.variable)};
    std::vector<std::string_view> texts = {*given};
    if (kind.is_list()) texts = split(*given, ':');
    for (const std::string_view text : texts) {
      Result<std::string> value = setting_value(kind, text);
      if (!value) return fail(ErrorKind::usage, "{}", value.error().message).at(setting.from);
      setting.values.push_back(std::move(*value));
    }
    if (Result<> fits = check(setting); !fits) return fail(ErrorKind::usage, "{}", fits.error().message).at(setting.from);
    all_.push_back(std::move(setting));
  }
  return {};
}

void Settings::take_option(std::string_view key, std::string value) {
  const SettingKind* kind = setting_kind(key);
  all_.push_back({kind, {std::move(value)}, SettingOrigin::option, std::string(kind->option)});
}

std::vector<const Setting*> Settings::of(std::string_view key) const {
  std::vector<const Setting*> found;
  for (auto it = all_.rbegin(); it != all_.rend(); ++it) {
    if (it->kind->key == key) found.push_back(&*it);
  }
  return found;
}

std::optional<std::string> Settings::value(std::string_view key) const {
  const std::vector<const Setting*> found = of(key);
  return found.empty() ? std::nullopt : std::optional(found.front()->values.front());
}

std::optional<std::string> Settings::variable(std::string_view name) const {
  const auto kinds = setting_kinds();
  const auto kind = std::ranges::find(kinds, name, &SettingKind::variable);
  return kind == kinds.end() ? std::nullopt : value(kind->key);
}

std::vector<OptionPreset> Settings::presets(std::string_view command) const {
  std::vector<OptionPreset> presets;
  for (const SettingKind& kind : setting_kinds()) {
    if (kind.option.empty() || (!kind.command.empty() && kind.command != command)) continue;
    const std::vector<const Setting*> found = of(kind.key);
    if (!found.empty()) presets.push_back({std::string(kind.option), found.front()->values, found.front()->from});
  }
  return presets;
}

}  // namespace frx::cli
