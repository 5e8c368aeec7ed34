// One run of a compiler of the CUDA toolkit over one file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "capture/host.h"

namespace frx::capture {

// `argv` is the program and its options; the file follows them. Ten minutes at most. Fails with the compiler's own first
// error line, at the file.
Result<Exit> run_compiler(std::vector<std::string> argv, const std::string& file, const Host& host, std::size_t keep_limit);

}  // namespace frx::capture
