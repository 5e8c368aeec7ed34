// A few declarations of CUDA, for a clang that finds no CUDA toolkit.
#pragma once

#include <string_view>

namespace frx::capture {

// Enough for kernels that need no library. Built-in features of the GPU (thread numbers, shuffles, mathematics) come with clang: the text
// includes those headers.
extern const std::string_view cuda_declarations;

// The header's name, and the names of the toolkit headers that it replaces.
inline constexpr std::string_view cuda_declarations_header = "frx_cuda.h";
inline constexpr std::string_view replaced_cuda_headers[] = {
    "cuda_runtime.h",     "cuda_runtime_api.h", "cuda.h",          "device_launch_parameters.h", "device_functions.h", "vector_types.h",
    "vector_functions.h", "builtin_types.h",    "math_functions.h"};

}  // namespace frx::capture
