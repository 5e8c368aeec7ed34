// Compiles CUDA source to PTX in a temporary folder, to inspect the output of the compiler.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/host.h"

namespace frx::capture {

// Of one run of a compiler, where nothing shorter is asked for.
inline constexpr std::chrono::milliseconds compiler_time_limit = std::chrono::minutes(10);

struct CompiledPtx {
  std::string text;
  std::string compiler;  // "nvcc 13.0", "clang 19.1.7 without the CUDA toolkit"
};

// With line numbers of the source. By nvcc; where there is none, by clang. `architecture`: "sm_90", or "" for the compiler's own choice.
// `options`: further ones, such as -I and -D. Environment: there is neither; malformed: the compiler refused the file, with its first error
// line.
Result<CompiledPtx> compile_to_ptx(const std::string& cuda_file, const std::string& architecture, const std::vector<std::string>& options,
                                   const Host& host, std::chrono::milliseconds time_limit = compiler_time_limit);

// Is there a compiler for it?
bool has_ptx_compiler(const Host& host);

}  // namespace frx::capture
