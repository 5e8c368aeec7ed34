#include "capture/ptxas.h"

#include "base/temporary_directory.h"
#include "capture/compiler_run.h"

namespace frx::capture {
namespace {

constexpr std::size_t ptxas_log_limit = std::size_t{256} << 20;

}  // namespace

Result<PtxasRun> run_ptxas(const std::string& ptx_file, const std::string& architecture, const Host& host) {
  const std::optional<std::string> ptxas = host.program("ptxas");
  if (!ptxas) {
    return fail(ErrorKind::environment, "ptxas was not found")
        .hint("it is part of the CUDA toolkit; add its bin folder to PATH, or give --ptxas-log");
  }
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")));
  TRY_ASSIGN(const Exit exit,
             run_compiler({*ptxas, "-v", "-arch=" + architecture, "-o", folder.file("out.cubin")}, ptx_file, host, ptxas_log_limit));
  return PtxasRun{compiler_version(*ptxas, host), architecture, exit.err + exit.out};
}

}  // namespace frx::capture
