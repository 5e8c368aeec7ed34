// Compiles CUDA source to a program in a temporary folder, so that it can be profiled.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/temporary_directory.h"
#include "capture/host.h"

namespace frx::capture {

struct CompiledProgram {
  TemporaryDirectory folder;
  std::string path;  // inside `folder`
};

// By nvcc, with line numbers. `architecture`: "sm_90", or "" for the compiler's own choice. Environment: there is no nvcc;
// malformed: it refused the file, or found no main().
Result<CompiledProgram> compile_program(const std::string& cuda_file, const std::string& architecture,
                                        const std::vector<std::string>& options, const Host& host);

// The same with a path chosen by the caller; returns the duration.
Result<std::chrono::nanoseconds> compile_program_as(const std::string& executable, const std::string& cuda_file,
                                                    const std::string& architecture, const std::vector<std::string>& options,
                                                    const Host& host);

}  // namespace frx::capture
