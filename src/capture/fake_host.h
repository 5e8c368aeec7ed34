// For tests: a machine that is defined line by line.
#pragma once

#include <map>

#include "capture/host.h"

namespace frx::capture {

struct FakeHost final : Host {
  std::map<std::string, std::string, std::less<>> variables;
  std::map<std::string, std::string, std::less<>> files;
  std::map<std::string, std::string, std::less<>> programs;  // name -> path
  std::map<std::string, Exit, std::less<>> answers;          // by "path first-argument"
  mutable std::vector<ChildCommand> ran;

  std::optional<std::string> variable(std::string_view name) const override { return find(variables, name); }
  std::optional<std::string> file(const std::string& path) const override { return find(files, path); }
  bool exists(const std::string& path) const override { return files.contains(path); }
  std::optional<std::string> program(std::string_view name) const override { return find(programs, name); }
  Result<Exit> run(const ChildCommand& command) const override {
    ran.push_back(command);
    const std::string key = command.argv[0] + (command.argv.size() > 1 ? " " + command.argv[1] : "");
    if (const auto answer = answers.find(key); answer != answers.end()) return answer->second;
    return run_process(command);
  }

  static Exit said(std::string out, int status = 0) {
    Exit exit;
    exit.out = std::move(out);
    exit.status = status;
    return exit;
  }

 private:
  static std::optional<std::string> find(const auto& map, std::string_view key) {
    const auto found = map.find(key);
    return found == map.end() ? std::nullopt : std::optional(found->second);
  }
};

// The folder of tests/support/fake_ncu.
inline std::string fake_ncu_folder() {
  const std::string here = __FILE__;  // .../src/capture/fake_host.h
  return here.substr(0, here.rfind("/src/capture/")) + "/tests/support/fake_ncu";
}

}  // namespace frx::capture
