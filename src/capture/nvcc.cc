#include "capture/nvcc.h"

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/compiler_run.h"

namespace frx::capture {
namespace {

constexpr std::size_t nvcc_log_limit = std::size_t{1} << 20;
constexpr std::uint64_t nvcc_ptx_limit = std::uint64_t{1} << 30;

}  // namespace

Result<CompiledPtx> compile_with_nvcc(const std::string& nvcc, const std::string& cuda_file, const std::string& architecture,
                                      const std::vector<std::string>& options, const Host& host, std::chrono::milliseconds time_limit) {
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")));
  std::vector<std::string> argv{nvcc, "-ptx", "-lineinfo", "-o", folder.file("out.ptx")};
  if (!architecture.empty()) argv.push_back("-arch=" + architecture);
  argv.insert(argv.end(), options.begin(), options.end());
  TRY(run_compiler(std::move(argv), cuda_file, host, nvcc_log_limit, time_limit));
  CompiledPtx compiled;
  TRY_ASSIGN(compiled.text, read_file(folder.file("out.ptx"), nvcc_ptx_limit));
  compiled.compiler = name_and_version("nvcc", nvcc, host);
  return compiled;
}

}  // namespace frx::capture
