#include "capture/ptxas.h"

#include <chrono>

#include "base/temporary_directory.h"
#include "base/text.h"

namespace frx::capture {
namespace {

constexpr std::chrono::minutes time_limit{10};
constexpr std::size_t log_limit = std::size_t{256} << 20;

// "Cuda compilation tools, release 13.0, V13.0.88"
std::string version_of(const std::string& ptxas, const Host& host) {
  ChildCommand command;
  command.argv = {ptxas, "--version"};
  command.time_limit = std::chrono::seconds(30);
  const Result<Exit> exit = host.run(command);
  if (!exit || !exit->ok()) return {};
  constexpr std::string_view before = "release ";
  const std::size_t at = exit->out.find(before);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + before.size();
  return exit->out.substr(begin, exit->out.find(',', begin) - begin);
}

std::string first_line(std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.find("error") != line.npos || line.find("fatal") != line.npos) return printable(trim(line));
  }
  return printable(trim(text.substr(0, text.find('\n'))));
}

}  // namespace

Result<PtxasRun> run_ptxas(const std::string& ptx_file, const std::string& architecture, const Host& host) {
  const std::optional<std::string> ptxas = host.program("ptxas");
  if (!ptxas) {
    return fail(ErrorKind::environment, "ptxas was not found")
        .hint("it is part of the CUDA toolkit; add its bin folder to PATH, or give --ptxas-log");
  }
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")));
  ChildCommand command;
  command.argv = {*ptxas,
                  "-v",
                  "-arch=" + architecture,
                  "-o",
                  folder.file("out.cubin"),
                  ptx_file.starts_with('-') ? "./" + ptx_file : ptx_file};
  command.time_limit = time_limit;
  command.keep_limit = log_limit;
  TRY_ASSIGN(const Exit exit, host.run(command));
  if (!exit.ok()) {
    const std::string said = first_line(exit.err.empty() ? exit.out : exit.err);
    return fail(ErrorKind::malformed, "ptxas ended with {}{}", describe(exit, time_limit),
                said.empty() ? "" : ": " + said)
        .at(ptx_file);
  }
  return PtxasRun{version_of(*ptxas, host), architecture, exit.err + exit.out};
}

}  // namespace frx::capture
