#include "capture/compiler_run.h"

#include <chrono>
#include <filesystem>

#include "base/memory_budget.h"
#include "base/text.h"
#include "capture/environment.h"

namespace frx::capture {
namespace {

// The linker's last line, "ld returned 1", says less than the symbol it missed.
std::string first_error(std::string_view said) {
  for (const std::string_view word : {"undefined reference", "error", "fatal"}) {
    for (const std::string_view line : split(said, '\n')) {
      if (line.find(word) != line.npos) return printable(trim(line));
    }
  }
  return printable(trim(said.substr(0, said.find('\n'))));
}

}  // namespace

Result<Exit> run_compiler(std::vector<std::string> argv, const std::string& file, const Host& host, std::size_t keep_limit,
                          std::chrono::milliseconds time_limit) {
  const std::string name = std::filesystem::path(argv.front()).filename();
  ChildCommand command;
  command.argv = std::move(argv);
  // A name that begins with '-' would be read as an option.
  command.argv.push_back(file.starts_with('-') ? "./" + file : file);
  command.time_limit = time_limit;
  command.keep_limit = keep_limit;
  command.memory_limit = MemoryBudget::of_a_child();
  TRY_ASSIGN(Exit exit, host.run(command));
  if (exit.ok()) return exit;
  if (exit.interrupted_by != 0) return fail(ErrorKind::negative, "{} was stopped by a signal", name).at(file);
  const std::string said = first_error(exit.err.empty() ? exit.out : exit.err);
  return fail(ErrorKind::malformed, "{} ended with {}{}", name, describe(exit, time_limit), said.empty() ? "" : ": " + said).at(file);
}

std::string compiler_version(const std::string& compiler, const Host& host) {
  ChildCommand command;
  command.argv = {compiler, "--version"};
  command.time_limit = std::chrono::seconds(30);
  const Result<Exit> exit = host.run(command);
  return exit && exit->ok() ? version_in(exit->out) : "";
}

std::string name_and_version(std::string_view name, const std::string& compiler, const Host& host) {
  const std::string version = compiler_version(compiler, host);
  return version.empty() ? std::string(name) : fmt::format("{} {}", name, version);
}

}  // namespace frx::capture
