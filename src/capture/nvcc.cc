#include "capture/nvcc.h"

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/compiler_run.h"

namespace frx::capture {
namespace {

constexpr std::size_t log_limit = std::size_t{1} << 20;
constexpr std::uint64_t ptx_limit = std::uint64_t{1} << 30;

}  // namespace

Result<std::string> compile_to_ptx(const std::string& cuda_file, const std::string& architecture, const std::vector<std::string>& options,
                                   const Host& host) {
  const std::optional<std::string> nvcc = host.program("nvcc");
  if (!nvcc) return fail(ErrorKind::environment, "nvcc was not found").hint("it is part of the CUDA toolkit; add its bin folder to PATH");
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")));
  std::vector<std::string> argv{*nvcc, "-ptx", "-lineinfo", "-o", folder.file("out.ptx")};
  if (!architecture.empty()) argv.push_back("-arch=" + architecture);
  argv.insert(argv.end(), options.begin(), options.end());
  TRY(run_compiler(std::move(argv), cuda_file, host, log_limit));
  return read_file(folder.file("out.ptx"), ptx_limit);
}

}  // namespace frx::capture
