// NVIDIA's compiler as the one that generates PTX.
#pragma once

#include "capture/ptx_compiler.h"

namespace frx::capture {

// As compile_to_ptx; `nvcc` is its path.
Result<CompiledPtx> compile_with_nvcc(const std::string& nvcc, const std::string& cuda_file, const std::string& architecture,
                                      const std::vector<std::string>& options, const Host& host, std::chrono::milliseconds time_limit);

}  // namespace frx::capture
