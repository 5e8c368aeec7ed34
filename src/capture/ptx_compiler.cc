#include "capture/ptx_compiler.h"

#include <optional>

#include "capture/clang.h"
#include "capture/nvcc.h"

namespace frx::capture {

Result<CompiledPtx> compile_to_ptx(const std::string& cuda_file, const std::string& architecture, const std::vector<std::string>& options,
                                   const Host& host, std::chrono::milliseconds time_limit) {
  if (const std::optional<std::string> nvcc = host.program("nvcc"))
    return compile_with_nvcc(*nvcc, cuda_file, architecture, options, host, time_limit);
  if (const std::optional<std::string> clang = find_clang(host))
    return compile_with_clang(*clang, cuda_file, architecture, options, host, time_limit);
  return fail(ErrorKind::environment, "neither nvcc nor clang was found")
      .hint("nvcc is part of the CUDA toolkit: add its bin folder to PATH; for kernels that need no library, the package clang will do");
}

bool has_ptx_compiler(const Host& host) { return host.program("nvcc") || find_clang(host); }

}  // namespace frx::capture
