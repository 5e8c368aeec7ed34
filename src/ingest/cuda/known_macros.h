// Macros that many projects define alike, for files that are read without the header that has them.
#pragma once

#include <string_view>

#include "ingest/cuda/macro_table.h"

namespace frx::ingest::cuda {

// Part of all their names.
constexpr std::string_view word_of_known_macros = "KERNEL_LOOP";

// What CUDA_KERNEL_LOOP(i, n) and its like usually are: the loop over the grid of Caffe, PyTorch, MMCV, OneFlow and PaddlePaddle. Null for
// other names.
const MacroDefinition* known_macro(std::string_view name);

}  // namespace frx::ingest::cuda
