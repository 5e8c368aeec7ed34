#include "capture/ptxas.h"

#include <chrono>

#include "base/temporary_directory.h"
#include "capture/compiler_run.h"

namespace frx::capture {
namespace {

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

}  // namespace

Result<PtxasRun> run_ptxas(const std::string& ptx_file, const std::string& architecture, const Host& host) {
  const std::optional<std::string> ptxas = host.program("ptxas");
  if (!ptxas) {
    return fail(ErrorKind::environment, "ptxas was not found")
        .hint("it is part of the CUDA toolkit; add its bin folder to PATH, or give --ptxas-log");
  }
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")));
  TRY_ASSIGN(const Exit exit,
             run_compiler({*ptxas, "-v", "-arch=" + architecture, "-o", folder.file("out.cubin")}, ptx_file, host, log_limit));
  return PtxasRun{version_of(*ptxas, host), architecture, exit.err + exit.out};
}

}  // namespace frx::capture
