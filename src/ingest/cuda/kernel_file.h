// Does a file of code define or launch kernels, although its name does not say CUDA? A header, a template file or a C++ file may.
#pragma once

#include <string_view>

namespace frx::ingest::cuda {

// "a.h", "b.hpp", "c.inl", "d.cc": a file that may hold code for a GPU, by its name.
bool may_hold_kernels(std::string_view path);

// Such a file, whose whole text is given: does it name a kernel, or launch one (`k<<<grid, block>>>(...)`)? A file for the host may hold
// the text of a program for another compiler: of it neither declarations in quotes count nor launches in texts and comments.
bool holds_kernels(std::string_view path, std::string_view text);

// "__global__ void copy(": only words follow the qualifier up to its parenthesis, and there are no quotes on its line.
bool declares_kernel(std::string_view text);

}  // namespace frx::ingest::cuda
