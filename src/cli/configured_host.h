// The machine with the settings laid over it: FRX_* variables and the programs that a setting names.
#pragma once

#include "capture/host.h"
#include "cli/settings.h"

namespace frx::cli {

class ConfiguredHost final : public capture::Host {
 public:
  // Both live as long as this.
  ConfiguredHost(const capture::Host& machine, const Settings& settings) : machine_(machine), settings_(settings) {}

  std::optional<std::string> variable(std::string_view name) const override {
    std::optional<std::string> value = settings_.variable(name);
    return value ? value : machine_.variable(name);
  }
  std::optional<std::string> file(const std::string& path) const override { return machine_.file(path); }
  bool exists(const std::string& path) const override { return machine_.exists(path); }
  std::optional<std::string> program(std::string_view name) const override {
    const SettingKind* const kind = setting_kind(name);
    const bool is_set = kind != nullptr && kind->type == SettingType::program;
    return machine_.program(is_set ? settings_.value(name).value_or(std::string(name)) : std::string(name));
  }
  Result<capture::Exit> run(const capture::ChildCommand& command) const override { return machine_.run(command); }

 private:
  const capture::Host& machine_;
  const Settings& settings_;
};

}  // namespace frx::cli
