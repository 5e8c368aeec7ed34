// Which CUDA files are one program, so that kernels of one are launched, and functions called, in another.
//
// The files of one folder are. A file that a program of another folder includes, and none of its own folder does, belongs to that program:
// kernels in `include/` are launched in `src/`. Where several programs include it, it is the one with the most .cu files; the others read
// what it defines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyse/inputs.h"
#include "ingest/cuda/headers.h"

namespace frx::analyse {

// A header is compiled with what includes it.
bool is_compiled_alone(const Input& input);

// The folder of the program of each input; of one that is no CUDA source the folder that it is in. `includes`: null where that is not
// known.
std::vector<std::string> program_folders(std::span<const Input> inputs, const ingest::cuda::Headers* includes);

}  // namespace frx::analyse
