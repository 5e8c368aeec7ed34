// Compiles CUDA source to PTX in a folder that is thrown away, to look at what the compiler makes of it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "capture/host.h"

namespace frx::capture {

// With line numbers of the source. `architecture`: "sm_90", or "" for nvcc's own choice. `options`: further ones,
// such as -I and -D. Environment: there is no nvcc; malformed: it refused the file, with its first words.
Result<std::string> compile_to_ptx(const std::string& cuda_file, const std::string& architecture, const std::vector<std::string>& options,
                                   const Host& host);

}  // namespace frx::capture
