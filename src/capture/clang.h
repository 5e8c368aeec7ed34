// clang as the compiler that generates PTX, where nvcc is missing.
#pragma once

#include <optional>

#include "capture/ptx_compiler.h"

namespace frx::capture {

// "clang++", or the newest versioned name: "clang++-19".
std::optional<std::string> find_clang(const Host& host);

// As compile_to_ptx; `clang` is its path. With the headers of the CUDA toolkit (CUDA_PATH, CUDA_HOME, /usr/local/cuda) when this clang can
// read them, otherwise with the declarations built into frx. Where that fails for the architecture, as for a GPU that this clang does not
// support, sm_80 is tried: the divergence of a warp rarely depends on the architecture.
Result<CompiledPtx> compile_with_clang(const std::string& clang, const std::string& cuda_file, const std::string& architecture,
                                       const std::vector<std::string>& options, const Host& host, std::chrono::milliseconds time_limit);

}  // namespace frx::capture
