// One run of a compiler over one file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "capture/host.h"
#include "capture/ptx_compiler.h"

namespace frx::capture {

// `argv` is the program and its options; the file follows them. Fails with the compiler's own first
// error line, at the file; of kind `negative` when frx was told to stop meanwhile.
Result<Exit> run_compiler(std::vector<std::string> argv, const std::string& file, const Host& host, std::size_t keep_limit,
                          std::chrono::milliseconds time_limit = compiler_time_limit);

// The version from `compiler --version`: "13.0", or "" when it is not printed.
std::string compiler_version(const std::string& compiler, const Host& host);

// "nvcc 13.0", "nvcc" without a version.
std::string name_and_version(std::string_view name, const std::string& compiler, const Host& host);

}  // namespace frx::capture
