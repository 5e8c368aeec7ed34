// clang as the compiler that makes PTX, where nvcc is missing.
#pragma once

#include <optional>

#include "capture/ptx_compiler.h"

namespace frx::capture {

// "clang++", or the newest with a number of its own: "clang++-19".
std::optional<std::string> find_clang(const Host& host);

// As compile_to_ptx; `clang` is its path. With the headers of the CUDA toolkit (CUDA_PATH, CUDA_HOME, /usr/local/cuda)
// when this clang can read them, else with the declarations that frx brings along. Where that fails for the
// architecture, as for a GPU that this clang does not know, it is tried for sm_80: where the lanes of a warp go rarely
// depends on it.
Result<CompiledPtx> compile_with_clang(const std::string& clang, const std::string& cuda_file, const std::string& architecture,
                                       const std::vector<std::string>& options, const Host& host);

}  // namespace frx::capture
